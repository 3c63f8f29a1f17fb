import { setImmediate } from "node:timers/promises"
import { assert } from "vitest"
import * as Simulation from "../../src/Simulation.js"

/** Runs the seeds, and fails with the timeline of the first that does not hold. */
export const hold = async (from: number, to: number): Promise<void> => {
  for (let seed = from; seed < to; seed++) {
    const { trace, violations } = Simulation.run(seed)
    assert.deepStrictEqual(
      violations,
      [],
      `seed ${seed}\n${trace.lines().join("\n")}\nAgain: npm run simulate -- --seed ${seed}`
    )
    // A worker that does not answer its runner for a minute is taken for dead.
    await setImmediate()
  }
}
