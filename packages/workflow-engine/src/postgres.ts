/**
 * The engine on PostgreSQL: executions continue after a crash, on any of the processes that share the
 * database. Such a process is a runner. `@effect/sql-pg` and `pg` are optional peers for this module, and
 * `@effect/sql` for this one and `sqlite`.
 *
 * A runner owns an execution while it runs its body. If the runner dies, another one takes over what it owned. If it is
 * only slow, such as a process that was stopped and continues, both may send the same request with the same key, and
 * nothing that the first one stores afterwards counts. A refusal counts only if no other run of the request has begun.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Batches from "./Batches.js"
import type * as Engine from "./Engine.js"
import * as migrations from "./internal/sql/migrations.js"
import * as postgresClient from "./internal/sql/postgresClient.js"
import * as sqlEngine from "./internal/sql/sqlEngine.js"
import type * as Store from "./Store.js"

/**
 * A layer that starts a runner on PostgreSQL. Its executions continue after a crash, here or on another runner.
 * Fails with `DatabaseUnavailable` if the database cannot be used.
 *
 * @example
 * import { layerPostgres } from "@manilla/workflow-engine/postgres"
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const engine = Layer.unwrapEffect(
 *   Effect.map(Config.redacted("DATABASE_URL"), (url) => layerPostgres({ url }))
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPostgres = ({
  databaseTimeout = "30 seconds",
  runnerExpiration = "15 seconds",
  url
}: {
  /**
   * The database, such as `postgres://user:password@host:5432/database`. Use a database of its own for each
   * group of runners: all runners of a database share its executions. Tables are created if they do not
   * exist. Payloads are stored as they are, with phone numbers: protect the database. A runner uses up to
   * ten connections.
   */
  readonly url: Redacted.Redacted
  /**
   * How long a silent runner keeps its executions: 15 seconds by default. A shorter time lets others take over
   * sooner; a longer one tolerates longer pauses of a process and of the database. It must be the same for all
   * runners. A process that has ended on the same machine is noticed sooner.
   */
  readonly runnerExpiration?: Duration.DurationInput | undefined
  /**
   * How long to wait for a connection to the database, and for the response to a statement: 30 seconds by
   * default, which is longer than any statement of the engine. A connection that is silent for longer is
   * closed, and the operation is repeated on another.
   */
  readonly databaseTimeout?: Duration.DurationInput | undefined
}): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine,
  Engine.DatabaseUnavailable | Engine.UnsupportedSchema
> => {
  const client = (connections: number) =>
    postgresClient.layer({ url, databaseTimeout }, connections)
  // Behind the statements of thousands of executions, a sign of life would come too late.
  const beats = Effect.map(Layer.build(client(1)), Context.get(SqlClient.SqlClient))
  return sqlEngine.layer(runnerExpiration, beats).pipe(
    Layer.provide(Layer.effectDiscard(prepared)),
    Layer.provide(client(9)),
    Layer.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Layer.failCause(Cause.stripFailures(cause))
        : Layer.fail(sqlEngine.unavailable("PostgreSQL")(Cause.squash(cause)))
    )
  )
}

const prepared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
  yield* migrations.migrate(`database ${row?.name}`)
})

/**
 * Opens a database beside the runners on it, to look inside or to operate them. It runs and creates nothing.
 *
 * @since 0.1.0
 * @category operating
 */
export const open = (
  url: Redacted.Redacted
): Effect.Effect<Store.Store, Engine.DatabaseUnavailable | Engine.UnsupportedSchema, Scope.Scope> =>
  sqlEngine.open("PostgreSQL", postgresClient.layer({ url, databaseTimeout: "10 seconds" }, 2))

/**
 * The table of batches in a database, for `PayoutBatch.layerOn` beside an engine that is not of this package, such as DBOS,
 * which may have the same database. Makes the tables if they do not exist. It uses up to four connections.
 *
 * @since 0.1.0
 * @category operating
 */
export const batches = (
  url: Redacted.Redacted
): Effect.Effect<
  Batches.Service,
  Engine.DatabaseUnavailable | Engine.UnsupportedSchema,
  Scope.Scope
> =>
  sqlEngine.batches(
    "PostgreSQL",
    prepared,
    postgresClient.layer({ url, databaseTimeout: "30 seconds" }, 4)
  )
