/**
 * The routes of the control calls. They need no token, and neither faults nor the log of requests apply to
 * them.
 */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ControlApi from "../../ControlApi.js"
import * as OpenApiDocument from "../../OpenApiDocument.js"
import type * as Sandbox from "../../Sandbox.js"
import { Incoming } from "../http/incoming.js"
import * as reply from "../http/reply.js"
import * as validation from "../http/validation.js"
import * as refusal from "../rules/refusal.js"
import * as access from "./access.js"
import { errorOf } from "./service.js"

export const openApi = `${ControlApi.root}/openapi.json` as const

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** The sandbox that handles the current request. */
const sandbox = Effect.flatMap(Incoming, ({ controls }) => controls.sandbox)

const isControlError = Schema.is(ControlApi.ControlError)
const encodeError = Schema.encodeSync(ControlApi.ControlError)

/** Answers have credentials, and text of other programs. */
const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const refuse = (error: ControlApi.ControlError) =>
  Effect.succeed(HttpServerResponse.unsafeJson(encodeError(error), { status: error.status }))

/** Answers callers that may use the control API. */
const guarded = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.all([HttpServerRequest.HttpServerRequest, Incoming]).pipe(
    Effect.flatMap(([{ headers }, { controls }]) => access.check(headers, controls)),
    Effect.zipRight(answer),
    Effect.mapError((error) => (error instanceof refusal.Refusal ? errorOf(error) : error)),
    Effect.catchIf(isControlError, refuse),
    reply.orDefect(refuse(errorOf(refusal.of("SANDBOX_DEFECT")))),
    Effect.map(HttpServerResponse.setHeaders(headers))
  )

const document = Effect.sync(() => HttpServerResponse.unsafeJson(OpenApiDocument.control()))

const unknownPath = refusal.notFound(`The control API has no such call: see ${openApi}.`)

/** The live requests as server-sent events, until the caller leaves or the sandbox stops. */
const liveRequests = Effect.map(sandbox, ({ liveRequests }) =>
  HttpServerResponse.stream(
    liveRequests.pipe(
      Stream.map((live) => `event: requests\ndata: ${JSON.stringify(live)}\n\n`),
      Stream.encodeText
    ),
    { contentType: "text/event-stream" }
  )
)

/** A call of a sandbox: a method, or an effect if it takes nothing. */
type Call =
  | ((input: object) => Effect.Effect<unknown, ControlApi.ControlError>)
  | Effect.Effect<unknown, ControlApi.ControlError>

/** No schema of the control API needs a context. */
const plain = (schema: Option.Option<Schema.Schema.All>): Schema.Schema.AnyNoContext | undefined =>
  Option.getOrUndefined(Option.map(schema, ({ ast }) => Schema.make(ast)))

const emptyObject = new TextEncoder().encode("{}")

/** Answers a call of the sandbox by the schemas of its endpoint. */
const answer = (endpoint: Endpoint, callOf: (sandbox: Sandbox.Service) => Call) => {
  const validate = validation.compile(
    {
      pathParams: plain(endpoint.pathSchema),
      urlParams: plain(endpoint.urlParamsSchema),
      payload: plain(endpoint.payloadSchema)
    },
    // A misspelt member would otherwise be ignored.
    "error"
  )
  const success = Schema.make<unknown>(endpoint.successSchema.ast)
  const encode = Schema.encodeSync(success)
  const status = HttpApiSchema.getStatusSuccess(success)
  return Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const urlParams = yield* HttpServerRequest.ParsedSearchParams
    const { body: given } = yield* Incoming
    // A call without options needs no body.
    const body = given.length > 0 ? given : emptyObject
    const read = validate({ path: params, urlParams, headers, body })
    if (Either.isLeft(read)) {
      return yield* Effect.fail(refusal.of("VALIDATION_FAILED", { issues: read.left }))
    }
    const call = callOf(yield* sandbox)
    const result = yield* Effect.isEffect(call)
      ? call
      : call(Object.assign({}, read.right.urlParams, read.right.payload, read.right.path))
    return result === undefined
      ? HttpServerResponse.empty()
      : HttpServerResponse.unsafeJson(encode(result), { status })
  })
}

const calls = Object.values(ControlApi.api.groups).flatMap(({ endpoints, identifier, topLevel }) =>
  Object.values<HttpApiEndpoint.HttpApiEndpoint.Any>(endpoints).map((any) => {
    // The type of an endpoint without schemas has `never` where `AnyWithProps` has `any`.
    const endpoint = any as Endpoint
    const callOf = (sandbox: Sandbox.Service): Call => {
      // `Calls` has a call for each endpoint, by its name in its group.
      const all = (topLevel ? sandbox : sandbox[identifier]) as never
      return all[endpoint.name]
    }
    return HttpRouter.makeRoute(endpoint.method, endpoint.path, guarded(answer(endpoint, callOf)))
  })
)

export const routes = [
  ...calls,
  HttpRouter.makeRoute("GET", openApi, guarded(document)),
  HttpRouter.makeRoute("GET", ControlApi.requestStream, guarded(liveRequests)),
  HttpRouter.makeRoute("*", `${ControlApi.root}/*`, guarded(Effect.fail(unknownPath)))
]
