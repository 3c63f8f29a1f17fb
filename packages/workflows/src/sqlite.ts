/**
 * The engine on an SQLite file: executions continue after a crash. Processes of one machine may share a file.
 * `@effect/sql-libsql`, `@effect/sql` and `@effect/experimental` are optional peers, for this module only.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Engine from "./Engine.js"
import * as database from "./internal/sql/database.js"
import * as sqlEngine from "./internal/sql/sqlEngine.js"

/**
 * A layer that provides an engine on an SQLite file. Its executions continue after a crash: at once in the next
 * process on the same machine. Fails with `DatabaseUnavailable` if the file cannot be used.
 *
 * @example
 * import * as Engine from "@manilla/workflows/sqlite"
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Layer from "effect/Layer"
 *
 * const workflows = DisbursePayout.layer().pipe(
 *   Layer.provide(Engine.layerSqlite({ file: "payments.db" }))
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSqlite = ({
  file
}: {
  /**
   * The path of the database, which is created if it does not exist, for its owner only. Payloads are stored as
   * they are, with phone numbers: protect the file.
   */
  readonly file: string
}): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine,
  Engine.DatabaseUnavailable | Engine.UnsupportedSchema
> =>
  sqlEngine.layer({ pollInterval: "1 second", expiration: "15 seconds" }, SqlClient.SqlClient).pipe(
    Layer.provide(Layer.effectDiscard(prepared(file))),
    Layer.provide(database.layer(file)),
    Layer.mapError((error) =>
      error._tag === "UnsupportedSchema"
        ? error
        : new Engine.DatabaseUnavailable({ database: file, cause: error })
    )
  )

/** Another process may be busy with the file. */
const attempts = Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(10))

const prepared = (file: string) =>
  Effect.gen(function* () {
    yield* database.checkName(file)
    const sql = yield* SqlClient.SqlClient
    yield* sqlEngine.createTables(file)
    // Readers do not wait for the writer.
    yield* sql`PRAGMA journal_mode = WAL`
  }).pipe(
    Effect.retry({
      schedule: attempts,
      while: (error) => error._tag === "SqlError" && database.isBusy(error)
    })
  )
