/**
 * The engine on an SQLite file: executions continue after a crash. Processes of one machine may share a file.
 * `@effect/sql-libsql` is an optional peer for this module, and `@effect/sql` for this one and `postgres`.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import type * as Batches from "./Batches.js"
import * as Engine from "./Engine.js"
import * as database from "./internal/sql/database.js"
import * as migrations from "./internal/sql/migrations.js"
import * as sqlEngine from "./internal/sql/sqlEngine.js"
import type * as Store from "./Store.js"

/**
 * A layer that provides an engine on an SQLite file. Its executions continue after a crash: at once in the next
 * process on the same machine. Fails with `DatabaseUnavailable` if the file cannot be used.
 *
 * @example
 * import * as Workflow from "@effect/workflow/Workflow"
 * import { layerSqlite } from "@manilla/workflow-engine/sqlite"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 *
 * const Greet = Workflow.make({
 *   name: "Greet/1",
 *   payload: { key: Schema.String },
 *   idempotencyKey: ({ key }) => key
 * })
 *
 * const live = Greet.toLayer(({ key }) => Effect.log(`Hello, ${key}!`)).pipe(
 *   Layer.provideMerge(layerSqlite({ file: "workflows.db" }))
 * )
 *
 * const program = Greet.execute({ key: "Awa" }).pipe(Effect.provide(live))
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
  sqlEngine
    .layer("15 seconds", SqlClient.SqlClient)
    .pipe(
      Layer.provide(Layer.effectDiscard(prepared(file))),
      Layer.provide(database.layer(file)),
      Layer.mapError(sqlEngine.unavailable(file))
    )

/** Another process may be busy with the file. */
const attempts = Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(10))

const prepared = (file: string) =>
  Effect.gen(function* () {
    yield* database.checkName(file)
    const sql = yield* SqlClient.SqlClient
    yield* migrations.migrate(file)
    // Readers do not wait for the writer.
    yield* sql`PRAGMA journal_mode = WAL`
  }).pipe(
    Effect.retry({
      schedule: attempts,
      while: (error) => error._tag === "SqlError" && database.isBusy(error)
    })
  )

/** This process has nothing else to do while it waits for the lock of another one. */
const patient = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA busy_timeout = 5000`)

/**
 * Opens a file beside the processes that run workflows on it, to look inside or to operate them. It runs and creates
 * nothing.
 *
 * @since 0.1.0
 * @category operating
 */
export const open = (
  file: string
): Effect.Effect<Store.Store, Engine.DatabaseUnavailable | Engine.UnsupportedSchema, Scope.Scope> =>
  Effect.suspend(() => {
    if (!existsSync(file)) {
      return new Engine.DatabaseUnavailable({ database: file, cause: "there is no such file" })
    }
    const client = Layer.effectDiscard(Effect.ignore(patient)).pipe(
      Layer.provideMerge(database.layer(file)),
      Layer.provide(Layer.effectDiscard(database.checkName(file)))
    )
    return sqlEngine.open(file, client)
  })

/**
 * The table of batches in a file, for `PayoutBatch.layerOn` beside an engine that is not of this package. Makes the tables if
 * they do not exist.
 *
 * @since 0.1.0
 * @category operating
 */
export const batches = (
  file: string
): Effect.Effect<
  Batches.Service,
  Engine.DatabaseUnavailable | Engine.UnsupportedSchema,
  Scope.Scope
> => sqlEngine.batches(file, prepared(file), database.layer(file))
