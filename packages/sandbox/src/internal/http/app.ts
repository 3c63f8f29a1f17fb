/**
 * The two gateways as HTTP applications over complete requests in memory. A request passes routing,
 * the exchange log, faults, authorisation, validation and a rule. The server and the in-process client
 * transport the bytes.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Identifier from "@manilla/core/Identifier"
import type * as Operation from "@manilla/core/Operation"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as ServiceApi from "../../ServiceApi.js"
import * as access from "../control/access.js"
import * as control from "../control/routes.js"
import type { Restartable } from "../emulation.js"
import { Current } from "../emulation.js"
import * as checkout from "../page/checkout.js"
import * as documents from "../page/documents.js"
import * as webPage from "../page/webPage.js"
import * as refusal from "../rules/refusal.js"
import { Body, withText } from "./body.js"
import * as defect from "./defect.js"
import * as exchange from "./exchange.js"
import * as handlers from "./handlers.js"
import * as reply from "./reply.js"
import * as validation from "./validation.js"

/** A complete request. */
export interface Incoming {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The request is not valid HTTP. */
export class NotHttp extends Data.TaggedError("NotHttp")<{ readonly cause: unknown }> {}

/** A gateway, which responds to a request or fails with `Dropped` to close the connection. */
export type App = (
  incoming: Incoming
) => Effect.Effect<HttpServerResponse.HttpServerResponse, exchange.Dropped | NotHttp>

export interface Apps {
  readonly main: App
  readonly account: App
}

export const make = (emulation: Restartable, controls: access.Controls): Apps => {
  const { account, main } = (gateways ??= Effect.runSync(route))
  const app = appOf(emulation, controls)
  return { main: app(main), account: app(account) }
}

type Services = HttpRouter.HttpRouter.DefaultServices

/** A gateway that takes its emulation from context. */
type Routed = HttpApp.Default<exchange.Dropped, Body>

/** Built once, because building takes longer than hundreds of requests. */
let gateways: Readonly<Record<keyof Apps, Routed>> | undefined

const route = Effect.suspend(() =>
  Effect.all({
    main: Effect.flatMap(control.routes, (controls) =>
      gateway(handlers.main, [
        ...webPage.routes,
        ...documents.routes,
        ...checkout.routes,
        ...controls
      ])
    ),
    account: gateway(handlers.account)
  })
)

const gateway = (
  api: Layer.Layer<HttpApi.Api, never, Services>,
  beside: ReadonlyArray<HttpRouter.Route<never, Body | Services>> = []
): Effect.Effect<Routed> =>
  Effect.gen(function* () {
    const { routes } = yield* HttpApiBuilder.Router.router
    const httpApp = yield* HttpRouter.toHttpApp(
      HttpRouter.fromIterable([...beside, ...Chunk.map(routes, guard)])
    )
    const services = yield* Effect.context<Services>()
    return httpApp.pipe(
      Effect.catchTag("RouteNotFound", () => exchange.run(undefined, noRoute)),
      Effect.scoped,
      // Without this, the router would annotate the caller's span with its routes.
      Effect.mapInputContext(
        (caller: Context.Context<HttpServerRequest.HttpServerRequest | Body>) =>
          Context.omit(Tracer.ParentSpan)(Context.merge(caller, services))
      )
    )
  }).pipe(
    Effect.provide(
      api.pipe(
        Layer.provideMerge(HttpApiBuilder.Router.Live),
        Layer.provideMerge(HttpServer.layerContext)
      )
    )
  )

const appOf =
  ({ current, saved }: Restartable, controls: access.Controls) =>
  (routed: Routed): App =>
  (incoming) =>
    Effect.gen(function* () {
      const emulation = current()
      const request = yield* toServerRequest(incoming)
      const given = request.headers["x-correlation-id"]
      return yield* routed.pipe(
        // The state is kept before the answer: if it cannot be kept, there is no answer.
        Effect.zipLeft(saved),
        Effect.catchTag("DataError", (error) =>
          Effect.zipRight(
            Effect.logError(error.message),
            Effect.fail(new exchange.Dropped({ when: "after" }))
          )
        ),
        Effect.provide(
          Context.make(HttpServerRequest.HttpServerRequest, request).pipe(
            Context.add(Body, incoming.body),
            Context.add(Current, emulation),
            Context.add(access.Current, controls),
            Context.add(
              reply.Correlation,
              isCorrelationId(given) ? given : emulation.correlationIds.uuid()
            )
          )
        )
      )
    })

const isCorrelationId = Schema.is(Identifier.CorrelationId)

const noRoute = reply.failure(refusal.notFound("The operation does not exist."))

const toServerRequest = ({ body, headers, method, url }: Incoming) =>
  Effect.try({
    try: () => withText(HttpServerRequest.fromWeb(new Request(url, { method, headers })), body),
    catch: (cause) => new NotHttp({ cause })
  })

/** A route below the root, guarded by the authorisation and validation that its operation declares. */
const guard = (route: HttpRouter.Route<unknown, Services>) => {
  const named = declarationOf(route)
  return HttpRouter.makeRoute(
    route.method,
    `${ServiceApi.root}${route.path}`,
    exchange.run(named, named === undefined ? noRoute : guarded(named.operation, route))
  )
}

const declarationOf = (route: HttpRouter.Route<unknown, Services>): exchange.Named | undefined => {
  for (const [name, operation] of ServiceApi.operations) {
    if (operation.method === route.method && operation.path === route.path) {
      return { name, operation }
    }
  }
  return undefined
}

const guarded = (operation: Operation.Operation, route: HttpRouter.Route<unknown, Services>) => {
  const validate = validation.compile(operation)

  const check = Effect.gen(function* () {
    const { accounts } = yield* Current
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    yield* accounts.authorise(headers["authorization"], operation.access)
    const { params } = yield* HttpRouter.RouteContext
    const urlParams = yield* HttpServerRequest.ParsedSearchParams
    const issues = validate({ path: params, urlParams, headers, body: yield* Body })
    if (issues.length > 0) yield* Effect.fail(refusal.invalid(issues))
  })

  const answer = route.handler.pipe(
    Effect.flatMap(HttpServerRespondable.toResponse),
    defect.answeredBy(internalError)
  )
  return Effect.matchEffect(check, { onFailure: reply.failure, onSuccess: () => answer })
}

const internalError = reply.failure(
  new refusal.Refusal({ status: 500, code: defect.code, message: defect.message })
)
