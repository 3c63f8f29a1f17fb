/**
 * The engine on an SQLite file: executions continue after a crash. One process uses a file at a time.
 * `@effect/sql-libsql`, `@effect/sql` and `@effect/cluster` are optional peers, for this module only.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { realpath } from "node:fs/promises"
import * as Engine from "./Engine.js"
import * as database from "./internal/database.js"
import { rootMessage } from "./internal/rootMessage.js"
import * as schemaVersion from "./internal/schemaVersion.js"
import * as sqlEngine from "./internal/sqlEngine.js"

/**
 * The database cannot be used, such as a folder that does not exist, a read-only file, or a file that
 * another process uses. Nothing was started.
 *
 * @since 0.1.0
 * @category errors
 */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>(
  "@manilla/workflows/DatabaseUnavailable"
)("DatabaseUnavailable", {
  file: Schema.String,
  reason: Schema.Literal("InUse", "Unusable"),
  cause: Schema.Defect
}) {
  override get message(): string {
    const why = rootMessage(this.cause)
    return this.reason === "InUse"
      ? `${this.file}: another process uses this database (${why}). Nothing was started, and the file is as it was.`
      : `${this.file}: the database cannot be used (${why}). Nothing was started, and what it stores stays. Correct the path, the permissions or the space on the disk.`
  }
}

/**
 * Options of `layerSqlite`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The path of the database, which is created if it does not exist. Payloads are stored as they are, with
   * phone numbers: protect the file. A file of the same name with `.lock` is created beside it.
   */
  readonly file: string
}

/**
 * A layer that provides an engine on an SQLite file. Its executions continue after a crash. Fails with
 * `DatabaseUnavailable` if the file cannot be used, or another process uses it.
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
}: Options): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine | Engine.Runner,
  DatabaseUnavailable | Engine.UnsupportedSchema
> => {
  const unavailable = (reason: DatabaseUnavailable["reason"]) => (cause: unknown) =>
    new DatabaseUnavailable({ file, reason, cause })

  const engine = Layer.effect(Engine.Runner, health).pipe(
    Layer.merge(sqlEngine.layer()),
    Layer.provide(Layer.effectDiscard(schemaVersion.check(file))),
    Layer.provide(database.layer(file)),
    Layer.mapError((error) =>
      error._tag === "UnsupportedSchema" ? error : unavailable("Unusable")(error)
    )
  )
  const lock = Layer.mapError(lockOf(file), (error) =>
    unavailable(database.isBusy(error) ? "InUse" : "Unusable")(error)
  )
  return Layer.provide(engine, lock)
}

const health = Effect.map(SqlClient.SqlClient, (sql) => ({
  isHealthy: sql`SELECT 1`.pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
}))

/**
 * Two processes on one database would both run its executions. A transaction that stays open on a second
 * file is a lock that the operating system ends with the process, also after SIGKILL, and that a process
 * keeps while it is stopped.
 */
const lockOf = (file: string) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locked = yield* Deferred.make<void>()
      const holding = sql.withTransaction(
        Effect.zipRight(Deferred.succeed(locked, undefined), Effect.never)
      )
      // A process that was killed a moment ago may still be ending.
      const attempts = Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(10))
      const held = yield* Effect.forkScoped(
        Effect.retry(holding, { schedule: attempts, while: database.isBusy })
      )
      yield* Effect.raceFirst(Deferred.await(locked), held.await.pipe(Effect.flatten))
    })
  ).pipe(
    Layer.provide(
      Layer.unwrapEffect(Effect.map(targetOf(file), (path) => database.layer(`${path}.lock`)))
    )
  )

/** The file behind a symbolic link: both names must have one lock. A file that does not exist yet has one name. */
const targetOf = (file: string) =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => realpath(file)),
    () => file
  )
