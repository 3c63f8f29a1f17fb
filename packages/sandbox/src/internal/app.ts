/**
 * The two APIs (main and account) as HTTP applications over complete requests in memory. The path of a request:
 *
 *     SandboxServer, SandboxClient --> app: route --> exchange: log, lock of the key, fault or scenario
 *                                                        |
 *         ledger (money/) <-- handler (service/) <-- validate <-- authorise
 *           |
 *           +--> log the end --> save (store/) --> answer
 *
 * Pages and controls have routes of their own, without an exchange.
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Identifier from "@manilla/core/Identifier"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as ServiceApi from "@manilla/service/ServiceApi"
import type { Controls } from "./control/access.js"
import * as control from "./control/routes.js"
import type { Restartable } from "./emulation.js"
import * as envelope from "./http/envelope.js"
import * as exchange from "./http/exchange.js"
import { Dropped, Incoming } from "./http/incoming.js"
import type { Intercept } from "./http/incoming.js"
import * as reply from "./http/reply.js"
import * as validation from "./http/validation.js"
import * as checkout from "./page/checkout.js"
import * as webPage from "./page/webPage.js"
import * as refusal from "./rules/refusal.js"
import type { Handler } from "./service/core.js"

/** A complete request. */
export interface Message {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The request is not valid HTTP. */
export class NotHttp extends Data.TaggedError("NotHttp")<{ readonly cause: unknown }> {}

/** An API, which responds to a request or fails with `Dropped` to close the connection. */
export type App = (
  message: Message
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Dropped | NotHttp>

export interface Apps {
  readonly main: App
  readonly account: App
}

export const make = (
  emulation: Restartable,
  controls: Controls,
  intercept: Option.Option<Intercept> = Option.none()
): Apps => {
  const { account, main } = (routed ??= Effect.runSync(route))
  const app = appOf(emulation, controls, Option.getOrUndefined(intercept))
  return { main: app(main), account: app(account) }
}

type Services = HttpRouter.HttpRouter.DefaultServices

/** An API that takes its emulation from context. */
type Routed = HttpApp.Default<Dropped, Incoming>

/** Built once, because building takes longer than hundreds of requests. */
let routed: Readonly<Record<keyof Apps, Routed>> | undefined

const route = Effect.gen(function* () {
  const operations = Array.from(ServiceApi.operations, ([name, operation]) => ({ name, operation }))
  const isOfAccount = ({ operation }: exchange.Named) => operation.access === "credentials"
  return {
    main: yield* withRoutes([
      ...webPage.routes,
      ...checkout.routes,
      ...control.routes,
      ...operations.filter((one) => !isOfAccount(one)).map(toRoute)
    ]),
    account: yield* withRoutes(operations.filter(isOfAccount).map(toRoute))
  }
})

const withRoutes = (
  routes: ReadonlyArray<HttpRouter.Route<Dropped, Incoming | Services>>
): Effect.Effect<Routed> =>
  Effect.gen(function* () {
    const httpApp = yield* HttpRouter.toHttpApp(HttpRouter.fromIterable(routes))
    const services = yield* Effect.context<Services>()
    return httpApp.pipe(
      Effect.catchTag("RouteNotFound", () => exchange.run(undefined, noRoute)),
      Effect.scoped,
      // Without this, the router would annotate the caller's span with its routes.
      Effect.mapInputContext(
        (caller: Context.Context<HttpServerRequest.HttpServerRequest | Incoming>) =>
          Context.omit(Tracer.ParentSpan)(Context.merge(caller, services))
      )
    )
  }).pipe(Effect.provide(HttpServer.layerContext))

const appOf =
  ({ current, saved }: Restartable, controls: Controls, intercept: Intercept | undefined) =>
  (api: Routed): App =>
  (message) =>
    Effect.gen(function* () {
      const emulation = current()
      const request = yield* toServerRequest(message)
      const given = request.headers["x-correlation-id"]
      return yield* api.pipe(
        // The state is kept before the response: if it cannot be kept, there is no response.
        Effect.zipLeft(saved),
        Effect.catchTag("DataError", (error) =>
          Effect.zipRight(
            Effect.logError(error.message),
            Effect.fail(new Dropped({ lost: "response" }))
          )
        ),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(Incoming, {
          emulation,
          controls,
          intercept,
          body: message.body,
          correlationId: isCorrelationId(given) ? given : emulation.correlationIds.uuid(),
          course: { fault: undefined, behaviour: undefined, replay: false, warnings: [] }
        })
      )
    })

const isCorrelationId = Schema.is(Identifier.CorrelationId)

const noRoute = reply.refuse(refusal.notFound("The operation does not exist."))

const toServerRequest = ({ headers, method, url }: Message) =>
  Effect.try({
    try: () => HttpServerRequest.fromWeb(new Request(url, { method, headers })),
    catch: (cause) => new NotHttp({ cause })
  })

const toRoute = (named: exchange.Named) => {
  const { method, path } = named.operation
  return HttpRouter.makeRoute(
    method,
    `${ServiceApi.root}${path}`,
    exchange.run(named, answer(named))
  )
}

/** Authorises, decodes, calls the handler and encodes, as the operation declares. */
const answer = ({ name, operation }: exchange.Named) => {
  const read = validation.compile(operation)
  const encode = Schema.encodeSync(envelope.Success(operation.success))
  return Effect.gen(function* () {
    const { body, correlationId, course, emulation } = yield* Incoming
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    yield* Effect.flatten(
      emulation.look((nowMillis) =>
        emulation.accounts.authorise(headers["authorization"], operation.access, nowMillis)
      )
    )
    const { params } = yield* HttpRouter.RouteContext
    const search = emulation.pageNames(yield* HttpServerRequest.ParsedSearchParams)
    const request = yield* Either.mapLeft(
      read({ path: params, urlParams: search, headers, body }),
      (issues) => refusal.of("VALIDATION_FAILED", { issues })
    )
    // Each operation has a handler of its name, which takes what the schemas of the operation decode.
    const handle = emulation.handlers[name as ServiceApi.OperationName] as Handler<never>
    const { behaviour } = course
    const onReplay = () => {
      course.replay = true
    }
    const warn = (text: string) => course.warnings.push(text)
    const data: unknown = yield* Effect.flatten(
      emulation.look((nowMillis) =>
        handle(request as never, { behaviour, nowMillis, onReplay, search, warn })
      )
    )
    return HttpServerResponse.unsafeJson(
      encode({ success: true, data, meta: { correlation_id: correlationId } }),
      { status: operation.status ?? 200 }
    )
  }).pipe(Effect.catchTag("Refusal", reply.refuse), reply.orDefect(internalError))
}

const internalError = reply.refuse(refusal.of("SANDBOX_DEFECT"))
