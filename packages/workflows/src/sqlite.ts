/**
 * The engine on an SQLite file: executions continue after a crash. One process uses a file at a time.
 * `@effect/sql-libsql`, `@effect/sql` and `@effect/cluster` are optional peers, for this module only.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Batches } from "./Batch.js"
import * as Engine from "./Engine.js"
import * as database from "./internal/sql/database.js"
import * as owner from "./internal/sql/owner.js"
import { rootMessage } from "./internal/rootMessage.js"
import * as schemaVersion from "./internal/sql/schemaVersion.js"
import * as sqlEngine from "./internal/sql/sqlEngine.js"

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
   * The path of the database, which is created if it does not exist, for its owner only. Payloads are stored as
   * they are, with phone numbers: protect the file.
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
  Engine.Engine | Batches | WorkflowEngine.WorkflowEngine | Engine.Runner,
  DatabaseUnavailable | Engine.UnsupportedSchema
> => {
  const fence: database.Fence = { epoch: undefined }
  return Layer.effect(Engine.Runner, health).pipe(
    Layer.merge(sqlEngine.layer()),
    Layer.provide(owned(fence)),
    Layer.provide(
      Layer.effectDiscard(Effect.zipRight(database.checkName(file), schemaVersion.check(file)))
    ),
    Layer.provide(database.layer(file, fence)),
    Layer.mapError((error) => {
      if (error._tag === "UnsupportedSchema") return error
      const isInUse =
        error._tag === "Owned" || (error._tag === "SqlError" && database.isBusy(error))
      return new DatabaseUnavailable({
        file,
        reason: isInUse ? "InUse" : "Unusable",
        cause: error
      })
    })
  )
}

/** Two processes on one database would both run its executions. */
const owned = (fence: database.Fence) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const attempts = Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(10))
      const isBusy = (error: owner.Owned | SqlError) =>
        error._tag === "SqlError" && database.isBusy(error)
      const epoch = yield* Effect.retry(owner.take, { schedule: attempts, while: isBusy })
      fence.epoch = epoch
      yield* owner.hold(epoch)
    })
  )

const health = Effect.map(SqlClient.SqlClient, (sql) => ({
  isHealthy: sql`SELECT 1`.pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
}))
