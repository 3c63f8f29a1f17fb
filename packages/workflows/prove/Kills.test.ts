/**
 * A process is killed again and again while it runs workflows on SQLite. `npm run soak -- sqlite --kills N` runs
 * more kills.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as kills from "./utils/kills.js"

it.live(
  "after 20 kills, each business key moved money once, and every execution ended",
  () =>
    Effect.gen(function* () {
      const report = yield* kills.run({
        kills: 20,
        jobsPerLife: 6,
        longestLifeSeconds: 3,
        seed: 42
      })
      assert.deepStrictEqual(report.violations, [])
      // The kills met requests: some were sent again.
      assert.isAbove(report.creations, report.jobs)
    }),
  // Half a minute on an idle machine.
  300_000
)
