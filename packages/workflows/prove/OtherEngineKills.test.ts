/**
 * Two runners of an engine that is not ours are killed and stopped, again and again. `npm run soak -- dbos --kills N` runs
 * more kills.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as clusterKills from "./utils/clusterKills.js"
import { otherEngines } from "./utils/otherEngines.js"

const options = { runners: 2, kills: 15, jobsPerLife: 3, longestLifeSeconds: 3, seed: 7 }

for (const [engine, other] of Object.entries(otherEngines)) {
  Test.live(
    `on ${engine}, after 15 kills, each business key moved money once`,
    function* () {
      const report = yield* clusterKills.run({ ...options, other })
      assert.deepStrictEqual(report.violations, [])
      // The kills met requests: some were sent again.
      assert.isAbove(report.creations, report.jobs)
    },
    300_000
  )
}
