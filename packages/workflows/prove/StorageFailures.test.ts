/** A database that becomes full or read-only while workflows run, in real time. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Files from "@manilla/test-support/Files"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as database from "../../workflow-engine/src/internal/sql/database.js"
import * as migrations from "../../workflow-engine/src/internal/sql/migrations.js"
import * as sqlEngine from "../../workflow-engine/src/internal/sql/sqlEngine.js"
import * as world from "../test/utils/world.js"

const lines: Array<string> = []

/** Keeps the lines of the log. */
const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
)

const failures = [
  {
    state: "full",
    // Not below the present size.
    begin: "PRAGMA max_page_count = 1",
    end: "PRAGMA max_page_count = 1000000",
    why: "database or disk is full"
  },
  {
    state: "read-only",
    begin: "PRAGMA query_only = ON",
    end: "PRAGMA query_only = OFF",
    why: "attempt to write a readonly database"
  }
]

describe("a database that becomes", () => {
  it.live.each(failures)(
    "$state is a typed error that names the business key, and loses nothing",
    ({ begin, end, why }) =>
      Effect.gen(function* () {
        const { faults, payouts: made } = yield* Sandbox.Sandbox
        lines.length = 0
        const request = yield* world.payout
        // Needs pages of its own.
        const long = {
          ...request,
          metadata: Object.fromEntries(
            Array.from({ length: 20 }, (_, i) => [`note_${i}`, "x".repeat(400)])
          )
        }
        const context = yield* Layer.build(
          DisbursePayout.layer.pipe(
            Layer.provideMerge(sqlEngine.layer("15 seconds", SqlClient.SqlClient)),
            Layer.provideMerge(Layer.effectDiscard(migrations.migrate("test"))),
            Layer.provideMerge(database.layer(yield* Files.database))
          )
        )
        const sql = Context.get(context, SqlClient.SqlClient)
        const operator = yield* Effect.provide(Operator.of(DisbursePayout.workflow), context)

        yield* faults.add(Fault.delay("500 millis", { operation: "Payouts.create" }))
        const id = yield* operator.start({ key: world.key("salary-open"), ...request })
        yield* Effect.provide(world.sending(id), context)
        yield* sql.unsafe(begin)
        const error = yield* Effect.flip(operator.start({ key: world.key("salary-new"), ...long }))
        assert.instanceOf(error, Execution.StorageError)
        assert.strictEqual(error.businessKey, "salary-new")
        assert.include(
          error.message,
          "store an execution of Manilla/DisbursePayout/2 for salary-new"
        )
        assert.include(error.message, why)
        const unknown = yield* Effect.flip(operator.status("salary-new"))
        assert.instanceOf(unknown, Execution.ExecutionNotFound)
        // The payout of the other one is made meanwhile.
        yield* Effect.repeat(Effect.delay(made, "20 millis"), { until: (all) => all.length > 0 })

        // Nobody waits for a moment: each operation that waits has tried several times.
        yield* Effect.sleep("2 seconds")
        yield* sql.unsafe(end)
        yield* operator.start({ key: world.key("salary-new"), ...long })
        for (const key of ["salary-open", "salary-new"]) {
          assert.strictEqual((yield* operator.await(key)).status, "COMPLETED")
        }
        assert.lengthOf(yield* made, 2)
        const told = lines.filter((line) => !/INFO|DEBUG/.test(line) || line.includes("database"))
        // A full database may have room for what the execution stores.
        const [failed = "failed ".concat(why), answers = "responds again", ...more] = told
        assert.lengthOf(more, 0, told.join("\n"))
        assert.include(failed, why)
        assert.include(answers, "responds again")
      }).pipe(Effect.scoped, Effect.provide(logger), Effect.provide(world.services()))
  )
})
