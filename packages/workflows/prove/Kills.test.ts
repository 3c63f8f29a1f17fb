/**
 * A process is killed again and again while it runs workflows on SQLite. `npm run soak -- sqlite --kills N` runs
 * more kills.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as kills from "./utils/kills.js"

Test.live(
  "after 20 kills, each business key moved money once, and every execution ended",
  function* () {
    const report = yield* kills.run({ kills: 20, jobsPerLife: 6, longestLifeSeconds: 3, seed: 42 })
    assert.deepStrictEqual(report.violations, [])
    // The kills met requests: some were sent again.
    assert.isAbove(report.creations, report.jobs)
  },
  // Half a minute on an idle machine.
  300_000
)
