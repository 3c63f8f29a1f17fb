/**
 * A process is killed again and again while it sends a batch on SQLite. `npm run soak -- batch-sqlite --kills N`
 * and `batch-postgres` run more kills, and `npm run soak -- payroll` a million rows.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as kills from "./utils/kills.js"
import * as payroll from "./utils/payroll.js"

const batches = { jobsPerLife: 1 / 8, itemsPerBatch: 300 }

Test.live(
  "after 8 kills, each item of a batch is paid once",
  function* () {
    const report = yield* kills.run({ ...batches, kills: 8, longestLifeSeconds: 3, seed: 3 })
    assert.deepStrictEqual(report.violations, [])
    // The kills met requests: some were sent again.
    assert.isAbove(report.creations, report.jobs)
  },
  // 15 seconds on an idle machine.
  300_000
)

Test.live(
  "each row of a payroll is paid once, though killed while stored and while paid",
  function* () {
    const report = yield* payroll.run({ rows: 3_000, kills: 2, seed: 1 })
    assert.deepStrictEqual(report.violations, [])
    assert.isAbove(report.creations, report.rows)
  },
  // 30 seconds on an idle machine.
  300_000
)
