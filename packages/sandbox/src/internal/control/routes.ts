/**
 * The routes of the control API. They need no token, and neither faults nor the exchange log apply to
 * them.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ControlApi from "../../ControlApi.js"
import * as ControlDocument from "../../ControlDocument.js"
import * as body from "../http/body.js"
import * as defect from "../http/defect.js"
import * as validation from "../http/validation.js"
import * as access from "./access.js"
import * as credentials from "./credentials.js"
import * as faults from "./faults.js"
import * as money from "./money.js"
import * as requests from "./requests.js"
import * as resources from "./resources.js"
import * as state from "./state.js"
import * as use from "./use.js"

type Services = HttpRouter.HttpRouter.DefaultServices

const handlers = HttpApiBuilder.api(ControlApi.api).pipe(
  Layer.provide([
    state.state,
    state.clock,
    state.idempotency,
    credentials.access,
    requests.requests,
    resources.resources,
    money.money,
    faults.faults
  ])
)

export const openApi = `${ControlApi.root}/openapi.json` as const

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

export const routes = Effect.gen(function* () {
  const { routes } = yield* HttpApiBuilder.Router.router
  return [
    ...Chunk.map(routes, toRoute),
    HttpRouter.makeRoute("GET", openApi, guarded(document)),
    HttpRouter.makeRoute("GET", ControlApi.requestStream, guarded(requests.stream)),
    HttpRouter.makeRoute("*", `${ControlApi.root}/*`, guarded(Effect.fail(unknownPath)))
  ]
}).pipe(
  Effect.provide(
    handlers.pipe(
      Layer.provideMerge(HttpApiBuilder.Router.Live),
      Layer.provideMerge(HttpServer.layerContext)
    )
  )
)

const toRoute = (route: HttpRouter.Route<unknown, Services>) => {
  const endpoint = endpoints.find(
    ({ method, path }) => method === route.method && path === route.path
  )
  const answer = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
  return HttpRouter.makeRoute(
    route.method,
    route.path,
    guarded(
      endpoint === undefined
        ? Effect.fail(unknownPath)
        : withBody(Effect.zipRight(checkedBy(endpoint), answer))
    )
  )
}

const isControlError = Schema.is(ControlApi.ControlError)
const encodeError = Schema.encodeSync(ControlApi.ControlError)

/** Answers have credentials, and text of other programs. */
const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Answers callers that may use the control API. */
const guarded = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap(({ headers }) => access.check(headers)),
    Effect.zipRight(answer),
    Effect.catchIf(isControlError, Effect.succeed),
    defect.answeredBy(Effect.succeed(internalError)),
    Effect.map((answered) =>
      isControlError(answered)
        ? HttpServerResponse.unsafeJson(encodeError(answered), { status: answered.status })
        : answered
    ),
    Effect.map(HttpServerResponse.setHeaders(headers))
  )

const internalError = new ControlApi.ControlError({
  status: 500,
  code: defect.code,
  message: defect.message,
  issues: []
})

const document = Effect.sync(() => HttpServerResponse.unsafeJson(ControlDocument.make()))

const unknownPath = new ControlApi.ControlError({
  status: 404,
  code: "NOT_FOUND",
  message: `The control API has no such call: see ${openApi}.`,
  issues: []
})

const endpoints = Object.values(ControlApi.api.groups).flatMap(({ endpoints }) =>
  Object.values<HttpApiEndpoint.HttpApiEndpoint.Any>(endpoints).map(
    // The type of an endpoint without schemas has `never` where `AnyWithProps` has `any`.
    (endpoint) => endpoint as Endpoint
  )
)

/** No schema of the control API needs a context. */
const plain = (schema: Option.Option<Schema.Schema.All>): Schema.Schema.AnyNoContext | undefined =>
  Option.getOrUndefined(Option.map(schema, ({ ast }) => Schema.make(ast)))

/** Checks the schemas of an endpoint. A misspelt member would otherwise be ignored. */
const checkedBy = (endpoint: Endpoint) => {
  const validate = validation.compile(
    {
      pathParams: plain(endpoint.pathSchema),
      urlParams: plain(endpoint.urlParamsSchema),
      payload: plain(endpoint.payloadSchema)
    },
    { unknownMembers: "error" }
  )
  return Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const urlParams = yield* HttpServerRequest.ParsedSearchParams
    const read = validate({ path: params, urlParams, headers, body: yield* body.Body })
    if (Either.isLeft(read))
      yield* use.invalid("VALIDATION_FAILED", "The request is invalid.", read.left)
  })
}

const emptyObject = new TextEncoder().encode("{}")

/** A missing body is an empty object, so that a call without options needs no body. */
const withBody = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const given = yield* body.Body
    return yield* given.length > 0
      ? self
      : self.pipe(
          Effect.provideService(body.Body, emptyObject),
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            body.withText(request, emptyObject)
          )
        )
  })
