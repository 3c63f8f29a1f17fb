/**
 * The OpenAPI 3.1 document of every declared operation. `docs/openapi.json` is written from it, and
 * the sandbox serves it as `/openapi.json`.
 *
 * @since 0.1.0
 */
import * as OpenApi from "@effect/platform/OpenApi"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import * as envelope from "./internal/http/envelope.js"
import * as httpApi from "./internal/http/httpApi.js"
import * as ServiceApi from "./ServiceApi.js"

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
  const main = OpenApi.fromApi(httpApi.make("Service", ServiceApi.mainGroups), options)
  const account = OpenApi.fromApi(httpApi.make("Accounts", ServiceApi.accountGroups), options)
  const defs: Record<string, OpenApiJsonSchema.JsonSchema> = {}
  const failure = OpenApiJsonSchema.makeWithDefs(envelope.Failure, { ...options, defs })
  const {
    HttpApiDecodeError: _,
    Issue: __,
    PropertyKey: ___,
    ...schemas
  } = { ...main.components.schemas, ...account.components.schemas, ...defs }
  return {
    openapi: main.openapi,
    info: {
      title: "Payments, Payouts and Virtual Cards",
      version: "1.0.0",
      description:
        "The operations of the service that Manilla declares. The listed error statuses are those that the service's interface documents; `default` covers any other."
    },
    servers: [
      server("The base URL of the main gateway, including the version", "base_url", baseUrl)
    ],
    tags: ServiceApi.groups.map(({ name }) => ({ name, description: descriptions[name] })),
    paths: {
      ...paths(main),
      ...paths(account, [
        server("The base URL of the account gateway, including the version", "auth_url", authUrl)
      ])
    },
    components: {
      schemas,
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
  Refunds: "Refunds, read by reference",
  PaymentLinks: "Links to a hosted checkout page, for Business accounts",
  Cards: "Virtual cards in USD, issued from a wallet",
  Cardholders: "The holders of virtual cards",
  Catalogue: "The services that are available to the application",
  Token: "Access tokens, from the account gateway"
}

interface Server {
  readonly url: string
  readonly description: string
  readonly variables?: Readonly<
    Record<string, { readonly default: string; readonly description: string }>
  >
}

const server = (description: string, variable: string, url: string | undefined): Server =>
  url === undefined
    ? {
        url: `{${variable}}`,
        description,
        variables: {
          [variable]: {
            // OpenAPI requires a default, but the interface documents no host. RFC 2606 reserves .invalid.
            default: `https://${variable.replace("_", "-")}.invalid${ServiceApi.root}`,
            description: "The interface documents no host: set your own"
          }
        }
      }
    : { url, description }

const paths = (document: OpenApi.OpenAPISpec, servers?: ReadonlyArray<Server>) =>
  Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      {
        ...(servers === undefined ? {} : { servers }),
        ...Object.fromEntries(
          Object.entries(methods).map(([method, described]) => [method, operation(described)])
        )
      }
    ])
  )

const operation = (described: OpenApi.OpenAPISpecOperation) => {
  const declared = ServiceApi.operations.get(described.operationId)
  if (declared === undefined) return described
  const { access, errors = [], replay } = declared
  const scopes = access === "bearer" ? [] : [access]
  return {
    ...described,
    responses: responses(described.responses, errors),
    security: access === "credentials" ? [] : [{ bearer: scopes }],
    "x-manilla-replay": replay
  }
}

/**
 * The interface documents the success status of one operation only, so any 2xx is success. The
 * platform adds a 400 to every operation, which the service does not document.
 */
const responses = (all: OpenApi.OpenAPISpecResponses, errors: ReadonlyArray<number>) => {
  const { 200: success, 400: _, ...declared } = all
  return {
    ...(success === undefined ? declared : { "2XX": success, ...declared }),
    ...Object.fromEntries(errors.map((status) => [status, error])),
    default: error
  }
}
