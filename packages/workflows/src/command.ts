/**
 * The command of a runner, a process that runs workflows: it tells a supervisor whether it is ready, and ends
 * in order. `@effect/platform-node` is an optional peer, for this module.
 *
 * @since 0.1.0
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import * as Engine from "./Engine.js"
import * as routes from "./internal/operate/routes.js"

/**
 * The runner did not end within its time limit, such as because the database does not answer. What it was
 * doing continues in the next life, or on another runner.
 *
 * @since 0.1.0
 * @category errors
 */
export class DrainTimeout extends Schema.TaggedError<DrainTimeout>(
  "@manilla/workflows/DrainTimeout"
)("DrainTimeout", { limit: Schema.DurationFromSelf }) {
  override get message(): string {
    return `the runner did not end within ${Duration.format(this.limit)}. Nothing is lost: its executions continue in its next life, or on another runner.`
  }
}

/**
 * Where a runner serves its health.
 *
 * @since 0.1.0
 * @category models
 */
export interface Health {
  readonly port: number
  /** Where to listen. All addresses of the machine by default. */
  readonly host?: string | undefined
}

/**
 * Where a runner serves the operations of the command `manilla-workflows`, and a page at `/` that uses them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operate {
  readonly port: number
  /** Where to listen. Only this machine by default: the token and what is shown are not encrypted. */
  readonly host?: string | undefined
  /** The token that a request must have in its header, as `Authorization: Bearer TOKEN`. The page asks its reader for it. Without it, nothing is served. */
  readonly token: Redacted.Redacted | undefined
}

/**
 * The parts of a runner's process, and how it ends.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<A, E, E2> {
  /** The engine, such as `layerPostgres({ url })`. */
  readonly engine: Layer.Layer<Engine.Engine | WorkflowEngine.WorkflowEngine, E2>
  /** The workflows that this process runs, with the clients that they need, and whatever uses them. */
  readonly workflows: Layer.Layer<A, E, Engine.Engine | WorkflowEngine.WorkflowEngine>
  /** Where `GET /health` is served. Nowhere by default. */
  readonly health?: Health | undefined
  /** Where the page at `/`, `/workflows/list` and the other operations are served. Nowhere by default. */
  readonly operate?: Operate | undefined
  /**
   * How long the runner may take to end: 25 seconds by default, which is shorter than the 30 seconds after
   * which Kubernetes kills a process. It usually takes 2 seconds.
   */
  readonly drainTimeout?: Duration.DurationInput | undefined
}

/**
 * Runs workflows until it is interrupted, which `NodeRuntime.runMain` does on SIGTERM and SIGINT. Then it
 * takes no further executions, interrupts the activities that run, and hands its executions over. An activity
 * that was interrupted starts again elsewhere or in the next life, and sends the same request with the same
 * key. The process ends with code 0, or with code 1 and a `DrainTimeout`. A second signal ends it at once.
 *
 * `GET /health` answers 200 if the runner is ready, and 503 while it starts, while it ends, and while it
 * cannot reach the database.
 *
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Command from "@manilla/workflows/command"
 * import type * as Payouts from "@manilla/payouts/Payouts"
 * import { layerPostgres } from "@manilla/workflows/postgres"
 * import * as Layer from "effect/Layer"
 * import type * as Redacted from "effect/Redacted"
 *
 * const runner = (url: Redacted.Redacted, clients: Layer.Layer<Payouts.Payouts>) =>
 *   Command.run({
 *     engine: layerPostgres({ url }),
 *     workflows: Layer.provide(DisbursePayout.layer(), clients),
 *     health: { port: 8080 }
 *   })
 * // NodeRuntime.runMain(runner(url, clients))
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = <A, E, E2>({
  drainTimeout = "25 seconds",
  engine,
  health,
  operate,
  workflows
}: Options<A, E, E2>): Effect.Effect<never, E | E2 | DrainTimeout | ServeError> =>
  Effect.gen(function* () {
    const status = yield* Ref.make<Effect.Effect<string>>(Effect.succeed("starting"))
    if (health !== undefined) yield* Layer.build(served(health, status))
    const live = Effect.gen(function* () {
      const context = yield* Layer.build(Layer.provideMerge(workflows, engine))
      const inside = Context.get(context, Engine.Engine)
      if (operate !== undefined) yield* Layer.build(operated(operate, inside))
      yield* Ref.set(
        status,
        Effect.map(inside.isHealthy, (is) => (is ? ready : "not healthy"))
      )
      return yield* Effect.never
    })
    return yield* draining(live, Ref.set(status, Effect.succeed("draining")), drainTimeout)
  }).pipe(Effect.scoped)

const ready = "ready"

const served = (
  { host = "0.0.0.0", port }: Health,
  status: Ref.Ref<Effect.Effect<string>>
): Layer.Layer<never, ServeError> =>
  HttpRouter.empty.pipe(
    HttpRouter.get(
      "/health",
      Effect.map(Effect.flatten(Ref.get(status)), (text) =>
        HttpServerResponse.text(text, { status: text === ready ? 200 : 503 })
      )
    ),
    HttpServer.serve(),
    Layer.provide(NodeHttpServer.layer(createServer, { host, port }))
  )

const operated = (
  { host = "127.0.0.1", port, token }: Operate,
  inside: Engine.Service
): Layer.Layer<never, ServeError> =>
  token === undefined || Redacted.value(token) === ""
    ? Layer.empty
    : routes
        .make(inside, token)
        .pipe(HttpServer.serve(), Layer.provide(NodeHttpServer.layer(createServer, { host, port })))

/** Runs an effect whose resources are released within a time. */
const draining = <A, E>(
  live: Effect.Effect<A, E, Scope.Scope>,
  onDrain: Effect.Effect<void>,
  limit: Duration.DurationInput
): Effect.Effect<A, E | DrainTimeout> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const exit = yield* Effect.exit(restore(Scope.extend(live, scope)))
      yield* onDrain
      const closing = yield* Effect.forkDaemon(Scope.close(scope, exit))
      const closed = yield* Fiber.await(closing).pipe(
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () => new DrainTimeout({ limit: Duration.decode(limit) })
        }),
        // This fiber has been interrupted, and could not wait.
        Effect.interruptible,
        Effect.forkDaemon,
        Effect.flatMap(Fiber.join)
      )
      yield* closed
      return yield* exit
    })
  )
