import { setImmediate } from "node:timers/promises"
import { assert } from "vitest"
import * as Simulation from "../../src/Simulation.js"
import * as Writes from "../../src/Writes.js"

/** Runs seeds in order, and returns a part of each report. */
export const run = async <A>(
  seeds: Iterable<number>,
  use: (report: Simulation.Report) => A
): Promise<ReadonlyArray<A>> => {
  const used: Array<A> = []
  for (const seed of seeds) {
    used.push(use(Simulation.run(seed)))
    // Vitest kills a worker that does not respond for a minute.
    await setImmediate()
  }
  return used
}

export const range = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => from + index)

/** Returns the writes that were applied. */
const appliedIn = async (from: number, count = 1): Promise<ReadonlySet<string>> => {
  const applied = await run(range(from, count), ({ applied, seed, trace, violations }) => {
    assert.deepStrictEqual(
      violations,
      [],
      `seed ${seed}\n${trace.lines().join("\n")}\nRerun: npm run simulate -- --seed ${seed}`
    )
    return applied
  })
  return new Set(applied.flatMap((some) => [...some]))
}

/** Runs the seeds, and fails with the timeline of the first that violates an invariant. */
export const hold = async (from: number, count = 1): Promise<void> => {
  await appliedIn(from, count)
}

/** The same for seeds that are many enough to apply each write. If one is never applied, its invariants hold of nothing. */
export const holdAll = async (from: number, count: number): Promise<void> => {
  assert.sameMembers([...(await appliedIn(from, count))], Object.keys(Writes.all))
}
