/**
 * Three runners on PostgreSQL are killed and stopped, and the database is restarted, again and again.
 * `npm run soak -- postgres --kills N` runs more kills.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as clusterKills from "./utils/clusterKills.js"

const options = { runners: 3, kills: 20, jobsPerLife: 3, longestLifeSeconds: 3, seed: 7 }

Test.live(
  "after 20 kills of runners, each key moved money once, and all ended",
  function* () {
    const report = yield* clusterKills.run(options)
    assert.deepStrictEqual(report.violations, [])
    // The kills met requests: some were sent again.
    assert.isAbove(report.creations, report.jobs)
  },
  // Half a minute on an idle machine.
  300_000
)
