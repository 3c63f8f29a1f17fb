/**
 * Three runners on PostgreSQL are killed and stopped, and the database is restarted, again and again.
 * `npm run soak -- postgres --kills N` runs more kills.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as clusterKills from "./utils/clusterKills.js"

it.live(
  "after 20 kills of runners, each key moved money once, and all ended",
  () =>
    Effect.gen(function* () {
      const report = yield* clusterKills.run({
        runners: 3,
        kills: 20,
        jobsPerLife: 3,
        longestLifeSeconds: 3,
        seed: 7
      })
      assert.deepStrictEqual(report.violations, [])
      // The kills met requests: some were sent again.
      assert.isAbove(report.creations, report.jobs)
    }),
  // Half a minute on an idle machine.
  300_000
)
