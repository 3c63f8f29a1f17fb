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
import * as Engine from "@manilla/workflow-engine/Engine"
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
import * as routes from "./internal/operate/routes.js"

/**
 * The runner did not end within its time limit, such as because the database does not respond. Its executions
 * continue in its next life, or on another runner.
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
 * Runs workflows until it is interrupted, which `NodeRuntime.runMain` does on SIGTERM and SIGINT. Then it
 * takes no further executions, interrupts the activities that run, and hands its executions over. An activity
 * that was interrupted starts again elsewhere or in the next life, and sends the same request with the same
 * key. The process ends with code 0, or with code 1 and a `DrainTimeout`. A second signal ends it at once.
 *
 * `GET /health` responds with 200 if the runner is ready, and 503 while it starts, while it ends, and while it
 * cannot reach the database.
 *
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Command from "@manilla/workflows/command"
 * import type * as Payouts from "@manilla/payouts/Payouts"
 * import { layerPostgres } from "@manilla/workflow-engine/postgres"
 * import * as Layer from "effect/Layer"
 * import type * as Redacted from "effect/Redacted"
 *
 * const runner = (url: Redacted.Redacted, clients: Layer.Layer<Payouts.Payouts>) =>
 *   Command.run({
 *     engine: layerPostgres({ url }),
 *     workflows: Layer.provide(DisbursePayout.layer, clients),
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
}: {
  /** The engine, such as `layerPostgres({ url })`. */
  readonly engine: Layer.Layer<Engine.Engine | WorkflowEngine.WorkflowEngine, E2>
  /** The workflows that this process runs, with the clients that they need, and whatever uses them. */
  readonly workflows: Layer.Layer<A, E, Engine.Engine | WorkflowEngine.WorkflowEngine>
  /** Where `GET /health` is served: on all addresses of the machine, unless it names a host. Nowhere by default. */
  readonly health?: Address | undefined
  /**
   * Where the operations of the command `manilla-workflows` are served, such as `GET /workflows/list`, and a page at `/`
   * that uses them: on this machine only, unless it names a host, because nothing is encrypted. Nowhere by default.
   */
  readonly operate?:
    | (Address & {
        /**
         * The token that a request must have in its header, as `Authorization: Bearer TOKEN`. The page asks its reader
         * for it. Without it, nothing is served.
         */
        readonly token: Redacted.Redacted | undefined
      })
    | undefined
  /**
   * How long the runner may take to end: 25 seconds by default, which is shorter than the 30 seconds after
   * which Kubernetes kills a process. It usually takes 2 seconds.
   */
  readonly drainTimeout?: Duration.DurationInput | undefined
}): Effect.Effect<never, E | E2 | DrainTimeout | ServeError> =>
  Effect.gen(function* () {
    const status = yield* Ref.make<Effect.Effect<string>>(Effect.succeed("starting"))
    if (health !== undefined) yield* listening(healthRoutes(status), { host: "0.0.0.0", ...health })
    const live = Effect.gen(function* () {
      const context = yield* Layer.build(Layer.provideMerge(workflows, engine))
      const store = Context.get(context, Engine.Engine)
      const page = operate === undefined ? "" : yield* served(store, operate)
      yield* Effect.logInfo(`The runner is ready.${page}`)
      yield* Ref.set(
        status,
        Effect.map(store.isHealthy, (is) => (is ? ready : "not healthy"))
      )
      return yield* Effect.never
    })
    return yield* draining(live, Ref.set(status, Effect.succeed("draining")), drainTimeout)
  }).pipe(Effect.scoped)

/** Where to listen. */
interface Address {
  readonly port: number
  readonly host?: string | undefined
}

const ready = "ready"

const healthRoutes = (status: Ref.Ref<Effect.Effect<string>>) =>
  HttpRouter.get(
    HttpRouter.empty,
    "/health",
    Effect.map(Effect.flatten(Ref.get(status)), (text) =>
      HttpServerResponse.text(text, { status: text === ready ? 200 : 503 })
    )
  )

const listening = (router: HttpRouter.HttpRouter, { host, port }: Address) =>
  Layer.build(
    Layer.provide(HttpServer.serve(router), NodeHttpServer.layer(createServer, { host, port }))
  )

/** Serves the operations and their page if there is a token, and returns a sentence that says where. */
const served = (
  store: Engine.Service,
  { host = "127.0.0.1", port, token }: Address & { readonly token: Redacted.Redacted | undefined }
) =>
  token === undefined || Redacted.value(token) === ""
    ? Effect.as(
        Effect.logWarning("`operate` has no token: its page and its routes are not served."),
        ""
      )
    : Effect.as(
        listening(routes.make(store, token), { host, port }),
        ` Its page is http://${host}:${port}/.`
      )

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
      yield* Fiber.join(closing).pipe(
        // At the limit, only this wait is interrupted: the scope still closes.
        Effect.interruptible,
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () => new DrainTimeout({ limit: Duration.decode(limit) })
        })
      )
      return yield* exit
    })
  )
