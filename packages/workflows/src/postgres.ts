/**
 * The engine on PostgreSQL: executions continue after a crash, on any of the processes that share the
 * database. Such a process is a runner. `@effect/sql-pg`, `pg`, `@effect/sql`, `@effect/cluster` and
 * `@effect/platform-node` are optional peers, for this module only.
 *
 * Each runner owns a part of the executions. If it dies, the others take over its part when its locks
 * expire. If it is only slow, such as a process that was stopped and continues, two runners may run an
 * execution at the same time: both send the same request with the same key, and one result is stored. A
 * refusal counts only if no other run of the request has begun.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Batches } from "./Batch.js"
import * as Engine from "./Engine.js"
import * as postgresClient from "./internal/sql/postgresClient.js"
import * as postgresEngine from "./internal/sql/postgresEngine.js"
import { rootMessage } from "./internal/rootMessage.js"

/**
 * The runner cannot start: the database does not answer, is read-only or refuses its user, another process
 * listens on the runner's port, or the start took longer than its time limit. No execution was started.
 *
 * @since 0.1.0
 * @category errors
 */
export class RunnerUnavailable extends Schema.TaggedError<RunnerUnavailable>(
  "@manilla/workflows/RunnerUnavailable"
)("RunnerUnavailable", {
  /** The address of the runner, such as `10.0.0.7:24431`. */
  runner: Schema.String,
  reason: Schema.Literal("Database", "Port", "Timeout"),
  cause: Schema.Defect
}) {
  override get message(): string {
    const why = rootMessage(this.cause)
    switch (this.reason) {
      case "Port":
        return `runner ${this.runner}: it cannot listen on its port (${why}). Nothing was started. Give each runner of a machine its own port.`
      case "Database":
        return `runner ${this.runner}: the database cannot be used (${why}). Nothing was started. Check the URL, and that its user may create tables.`
      case "Timeout":
        return `runner ${this.runner}: it was not ready in time (${why}). Start it again. If that does not help, another process may hold a lock in the database.`
    }
  }
}

/**
 * Options of a runner.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The database, such as `postgres://user:password@host:5432/database`. Use a database of its own for each
   * group of runners: all runners of a database share its executions. Tables are created if they do not
   * exist. Payloads are stored as they are, with phone numbers: protect the database. A runner uses up to
   * ten connections.
   */
  readonly url: Redacted.Redacted
  /**
   * The host name or address at which the other runners reach this one, and on which it listens. `localhost`
   * is for runners on one machine only. Runners trust each other: let nothing else reach the port.
   */
  readonly host: string
  /**
   * The port on which the runner listens: 24431 by default, and another one for each runner on a machine. It
   * should be below 32768, because Linux takes the ports of outgoing connections from there upwards, and
   * one of them could occupy the runner's port.
   *
   * Host and port identify a runner: no two may have the same. One that starts again with the same address continues at once; with
   * another address, the executions of its earlier life wait until its locks expire.
   */
  readonly port?: number | undefined
  /**
   * How long a runner that does not answer keeps its executions: 15 seconds by default, in whole seconds.
   * A shorter time lets others take over sooner; a longer one tolerates longer pauses of a process and of
   * the database. It must be the same for all runners.
   */
  readonly lockExpiration?: Duration.DurationInput | undefined
  /**
   * How often a runner looks for work, which is the precision of durable pauses: 1 second by default. Each
   * look is a query.
   */
  readonly pollInterval?: Duration.DurationInput | undefined
  /**
   * How long to wait for a connection to the database, and for the answer to a statement: 30 seconds by
   * default, which is longer than any statement of the engine. A connection that is silent for longer is
   * closed, and the operation is repeated on another. If two thirds of `lockExpiration` are longer, they are
   * the limit of a statement.
   */
  readonly databaseTimeout?: Duration.DurationInput | undefined
  /**
   * How long the start of the runner may take: 1 minute by default. A start takes about a second. After this
   * time it fails with `RunnerUnavailable`, so that a supervisor starts it again.
   */
  readonly startTimeout?: Duration.DurationInput | undefined
}

/**
 * A layer that starts a runner on PostgreSQL. Its executions continue after a crash, here or on another runner.
 * Fails with `RunnerUnavailable` if the database or the port cannot be used, or the start takes too long.
 *
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Engine from "@manilla/workflows/postgres"
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const engine = Layer.unwrapEffect(
 *   Effect.map(Config.redacted("DATABASE_URL"), (url) => Engine.layerPostgres({ url, host: "10.0.0.7" }))
 * )
 * const workflows = DisbursePayout.layer().pipe(Layer.provide(engine))
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPostgres = ({
  databaseTimeout = "30 seconds",
  host,
  lockExpiration = "15 seconds",
  pollInterval = "1 second",
  port = 24_431,
  startTimeout = "1 minute",
  url
}: Options): Layer.Layer<
  Engine.Engine | Batches | WorkflowEngine.WorkflowEngine | Engine.Runner,
  RunnerUnavailable | Engine.UnsupportedSchema
> => {
  const unavailable = (reason: RunnerUnavailable["reason"], cause: unknown) =>
    new RunnerUnavailable({ runner: `${host}:${port}`, reason, cause })
  const options = { host, port, lockExpiration, pollInterval }
  const database = { url, databaseTimeout, lockExpiration }
  // With the seven below, the ten connections that the docstring of `url` names.
  const locks = postgresClient.layer(database, 3)
  const health = Effect.map(postgresEngine.isHealthy(options), (isHealthy) => ({ isHealthy }))
  const runner = Layer.provide(Layer.effect(Engine.Runner, health), locks).pipe(
    Layer.merge(postgresEngine.layer(options, locks)),
    Layer.provide(postgresClient.layer(database, 7)),
    // The engine dies if it cannot create its tables.
    Layer.catchAllCause(
      (cause): Layer.Layer<unknown, RunnerUnavailable | Engine.UnsupportedSchema> => {
        if (Cause.isInterruptedOnly(cause)) return Layer.failCause(Cause.stripFailures(cause))
        const error = Cause.squash(cause)
        if (error instanceof Engine.UnsupportedSchema) return Layer.fail(error)
        const isPort = Predicate.isTagged(error, "SocketServerError")
        return Layer.fail(unavailable(isPort ? "Port" : "Database", error))
      }
    )
  )
  return Layer.scopedContext(
    Effect.flatMap(Effect.scope, (scope) =>
      Layer.buildWithScope(runner, scope).pipe(
        // An effect that waits for the database cannot always be interrupted.
        Effect.disconnect,
        Effect.timeoutFail({
          duration: startTimeout,
          onTimeout: () => {
            const limit = Duration.format(startTimeout)
            return unavailable("Timeout", new Error(`the start took longer than ${limit}`))
          }
        })
      )
    )
  )
}
