import { setImmediate } from "node:timers/promises"
import { assert } from "vitest"
import * as Simulation from "../../src/Simulation.js"

/** Runs the seeds, and fails with the timeline of the first that violates an invariant. */
export const hold = async (from: number, to: number): Promise<void> => {
  for (let seed = from; seed < to; seed++) {
    const { trace, violations } = Simulation.run(seed)
    assert.deepStrictEqual(
      violations,
      [],
      `seed ${seed}\n${trace.lines().join("\n")}\nRerun: npm run simulate -- --seed ${seed}`
    )
    // Vitest kills a worker that does not respond for a minute.
    await setImmediate()
  }
}
