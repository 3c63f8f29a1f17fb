/**
 * The engine on PostgreSQL: executions continue after a crash, on any of the processes that share the
 * database. Such a process is a runner. `@effect/sql-pg`, `@effect/sql`, `@effect/cluster` and
 * `@effect/platform-node` are optional peers, for this module only.
 *
 * Each runner owns a part of the executions. If it dies, the others take over its part when its locks
 * expire. If it is only slow, such as a process that was stopped and continues, two runners may run an
 * execution at the same time: both send the same request with the same key, and one result is stored. A
 * refusal counts only if no other run of the request has begun.
 *
 * @since 0.1.0
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type { DurationInput } from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import type * as Engine from "./Engine.js"
import * as postgresEngine from "./internal/postgresEngine.js"

/**
 * The runner cannot start: the database does not answer, is read-only or refuses its user, or another process
 * listens on the runner's port. Nothing was started.
 *
 * @since 0.1.0
 * @category errors
 */
export class RunnerUnavailable extends Schema.TaggedError<RunnerUnavailable>(
  "@manilla/workflows/RunnerUnavailable"
)("RunnerUnavailable", {
  /** The address of the runner, such as `10.0.0.7:24431`. */
  runner: Schema.String,
  reason: Schema.Literal("Database", "Port"),
  cause: Schema.Defect
}) {
  override get message(): string {
    const why = rootMessage(this.cause)
    return this.reason === "Port"
      ? `runner ${this.runner}: it cannot listen on its port (${why}). Nothing was started. Give each runner of a machine its own port.`
      : `runner ${this.runner}: the database cannot be used (${why}). Nothing was started. Check the URL, and that its user may create tables.`
  }
}

/** The message of the first cause: the driver's, not those of the layers above it. */
const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // A host name with several addresses, such as `localhost`.
  if (error instanceof AggregateError) return error.errors.map(rootMessage).join(", ")
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}

/**
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
  readonly lockExpiration?: DurationInput | undefined
  /**
   * How often a runner looks for work, which is the precision of durable pauses: 1 second by default. Each
   * look is a query.
   */
  readonly pollInterval?: DurationInput | undefined
}

/**
 * A runner in this process.
 *
 * @since 0.1.0
 * @category services
 */
export class Runner extends Context.Tag("@manilla/workflows/Runner")<
  Runner,
  {
    /**
     * Whether the runner takes part: the database answers, and has heard of the runner within the life of its
     * locks. False while the runner ends.
     */
    readonly isHealthy: Effect.Effect<boolean>
  }
>() {}

/**
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
  host,
  lockExpiration = "15 seconds",
  pollInterval = "1 second",
  port = 24_431,
  url
}: Options): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine | Runner,
  RunnerUnavailable
> => {
  const unavailable = (cause: unknown) =>
    new RunnerUnavailable({
      runner: `${host}:${port}`,
      reason: Predicate.isTagged(cause, "SocketServerError") ? "Port" : "Database",
      cause
    })
  const options = { host, port, lockExpiration, pollInterval }
  const health = Effect.map(postgresEngine.isHealthy(options), (isHealthy) => ({ isHealthy }))
  return Layer.effect(Runner, health).pipe(
    Layer.merge(postgresEngine.layer(options)),
    Layer.provide(PgClient.layer({ url, applicationName: "manilla-workflows" })),
    // The engine dies if it cannot create its tables.
    Layer.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Layer.failCause(Cause.stripFailures(cause))
        : Layer.fail(unavailable(Cause.squash(cause)))
    )
  )
}

/**
 * @since 0.1.0
 * @category models
 */
export interface HealthOptions {
  readonly port: number
  /** Where to listen. All addresses of the machine by default. */
  readonly host?: string | undefined
}

/**
 * Serves the health of the runner over HTTP, for a supervisor or a load balancer: `GET /health` answers 200
 * if `isHealthy`, and 503 if not. A failure to listen is a `ServeError`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHealth = ({
  host = "0.0.0.0",
  port
}: HealthOptions): Layer.Layer<never, ServeError, Runner> =>
  HttpRouter.empty.pipe(
    HttpRouter.get(
      "/health",
      Effect.flatMap(Runner, ({ isHealthy }) =>
        Effect.map(isHealthy, (is) =>
          HttpServerResponse.text(is ? "healthy" : "not healthy", { status: is ? 200 : 503 })
        )
      )
    ),
    HttpServer.serve(),
    Layer.provide(NodeHttpServer.layer(createServer, { host, port }))
  )
