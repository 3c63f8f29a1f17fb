/**
 * The OpenAPI 3.1 documents of every declared operation and of the control API. `docs/openapi.json` is written from
 * the first one, and the sandbox serves it as `/openapi.json`.
 *
 * @since 0.1.0
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import type * as Operation from "@manilla/core/Operation"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import * as ControlApi from "./ControlApi.js"
import * as envelope from "./internal/http/envelope.js"
import * as ServiceApi from "@manilla/service/ServiceApi"

/**
 * The URLs of the two gateways. A missing URL becomes a server variable of the document.
 *
 * @since 0.1.0
 * @category models
 */
export interface Addresses {
  readonly baseUrl?: string | undefined
  readonly authUrl?: string | undefined
}

/**
 * The OpenAPI document of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenApiDocument extends ReturnType<typeof make> {}

/**
 * Builds the document.
 *
 * @example
 * import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
 *
 * const document = OpenApiDocument.make({
 *   baseUrl: "https://api.example.com/api/v1",
 *   authUrl: "https://accounts.example.com/api/v1"
 * })
 * const operations = Object.keys(document.paths)
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ authUrl, baseUrl }: Addresses = {}) => {
  const api = ServiceApi.groups.reduce<HttpApi.HttpApi.AnyWithProps>(
    (api, group) => api.add(groupOf(group)),
    HttpApi.make("Service")
  )
  const { components, openapi, paths } = OpenApi.fromApi(api, options)
  const defs: Record<string, OpenApiJsonSchema.JsonSchema> = {}
  const failure = OpenApiJsonSchema.makeWithDefs(envelope.Failure, { ...options, defs })
  return {
    openapi,
    info: {
      title: "Payments, Payouts and Virtual Cards",
      version: "1.0.0",
      description:
        "The operations of the service that Manilla declares. The listed error statuses are those that the service's interface documents; `default` covers any other."
    },
    servers: [server("main", "base_url", baseUrl)],
    tags: ServiceApi.groups.map(({ name }) => ({ name, description: descriptions[name] })),
    paths: mapOperations(paths, (operation) =>
      documented(operation, server("account", "auth_url", authUrl))
    ),
    components: {
      schemas: used({ ...components.schemas, ...defs }),
      responses: {
        Error: {
          description: "An error, in its envelope",
          content: { "application/json": { schema: failure } }
        }
      },
      securitySchemes: { bearer }
    }
  }
}

/** Unknown members never fail a decode. */
const options = { additionalPropertiesStrategy: "allow" } as const

const error = { $ref: "#/components/responses/Error" } as const

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "An access token from POST {auth_url}/auth/application/token"
} as const

const descriptions: Readonly<Record<(typeof ServiceApi.groups)[number]["name"], string>> = {
  Payments: "Payment intents: mobile-money collections and deposits",
  Transactions: "Transactions, with their fees",
  Payouts: "Disbursements from a wallet to a beneficiary",
  Refunds: "Refunds and their status",
  PaymentLinks: "Links to a hosted checkout page, for Business accounts",
  Cards: "Virtual cards in USD, issued from a wallet",
  Cardholders: "The holders of virtual cards",
  Catalogue: "The services that are available to the application",
  Token: "Access tokens, from the account gateway"
}

const server = (gateway: string, variable: string, url: string | undefined) => {
  const description = `The base URL of the ${gateway} gateway, including the version`
  if (url !== undefined) return { url, description }
  // OpenAPI requires a default, but the interface documents no host. RFC 2606 reserves .invalid.
  const host = {
    default: `https://${variable.replace("_", "-")}.invalid${ServiceApi.root}`,
    description: "The interface documents no host: set your own"
  }
  return { url: `{${variable}}`, description, variables: { [variable]: host } }
}

const groupOf = ({ name, operations }: Operation.Group) => {
  const bare: HttpApiGroup.HttpApiGroup.Any = HttpApiGroup.make(name)
  return Object.entries(operations).reduce(
    (group, [name, operation]) => group.add(endpointOf(name, operation)),
    // The type of a group without endpoints has `never` where `AnyWithProps` has `any`.
    bare as HttpApiGroup.HttpApiGroup.AnyWithProps
  )
}

const endpointOf = (name: string, operation: Operation.Operation) => {
  const { headers, method, path, pathParams, payload, status, success, summary, urlParams } =
    operation
  const bare: HttpApiEndpoint.HttpApiEndpoint.Any = HttpApiEndpoint.make(method)(name, path)
    .addSuccess(envelope.Success(success), { status })
    .annotate(OpenApi.Summary, summary)
  // The type of an endpoint without schemas has `never` where `AnyWithProps` has `any`.
  let endpoint = bare as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  if (pathParams !== undefined) endpoint = endpoint.setPath(pathParams)
  if (urlParams !== undefined) endpoint = endpoint.setUrlParams(urlParams)
  if (headers !== undefined) endpoint = endpoint.setHeaders(headers)
  if (payload !== undefined) endpoint = endpoint.setPayload(payload)
  return endpoint
}

/** An operation with its errors, its scope, and its server if that is not the main gateway. */
const documented = (
  described: OpenApi.OpenAPISpecOperation,
  account: ReturnType<typeof server>
) => {
  const declared = ServiceApi.operations.get(described.operationId)
  if (declared === undefined) return described
  const { access, errors = [], replay } = declared
  const scopes = access === "bearer" ? [] : [access]
  const { 200: success, ...others } = described.responses
  return {
    ...described,
    ...(access === "credentials" && { servers: [account] }),
    responses: {
      // The interface documents the success status of one operation only, so any 2xx is success.
      ...(success === undefined ? others : { "2XX": success, ...others }),
      ...Object.fromEntries(errors.map((status) => [status, error])),
      default: error
    },
    security: access === "credentials" ? [] : [{ bearer: scopes }],
    "x-manilla-replay": replay
  }
}

/** The platform adds a 400 to every operation, which no operation documents. */
const mapOperations = <A>(
  paths: OpenApi.OpenAPISpec["paths"],
  f: (operation: OpenApi.OpenAPISpecOperation) => A
): Record<string, Record<string, A>> =>
  Record.map(paths, (methods) =>
    Record.map(Record.fromEntries(Object.entries(methods)), (operation) =>
      f({ ...operation, responses: Struct.omit(operation.responses, 400) })
    )
  )

/** The schemas without those of the platform's own 400. */
const used = Struct.omit("HttpApiDecodeError", "Issue", "PropertyKey")

/**
 * Builds the document of the control API, which the sandbox serves as `/_sandbox/openapi.json`. Its server is
 * the one that serves it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const control = () => {
  const document = OpenApi.fromApi(ControlApi.api)
  return {
    openapi: document.openapi,
    info: {
      title: "Manilla sandbox control",
      version: "1.0.0",
      description:
        "Controls of a running sandbox: its requests, ledger, faults, clock and settlements. They are no part of the emulated service."
    },
    servers: [{ url: "/", description: "The sandbox's main port" }],
    security: [],
    tags: document.tags,
    paths: {
      ...mapOperations(document.paths, ({ responses, ...operation }) => ({
        ...operation,
        responses: { ...responses, default: responses[403] }
      })),
      [ControlApi.requestStream]: { get: requestStream }
    },
    components: { schemas: used(document.components.schemas) }
  }
}

/** `HttpApi` does not describe events. */
const requestStream = {
  operationId: "liveRequests",
  tags: ["Requests"],
  summary: "Follow the requests as server-sent events",
  description:
    "An event `requests` has `requests`, a list of `Exchange` without bodies: the latest ones first, then those that arrived or ended. If `reset` is true, they replace all earlier ones.",
  responses: {
    200: {
      description: "Events",
      content: { "text/event-stream": { schema: { type: "string" } } }
    },
    default: {
      description: "ControlError",
      content: { "application/json": { schema: { $ref: "#/components/schemas/ControlError" } } }
    }
  }
}
