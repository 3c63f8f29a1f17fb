/**
 * The OpenAPI 3.1 document of every declared operation. `docs/openapi.json` is written from it, and
 * the sandbox serves it as `/openapi.json`.
 *
 * @since 0.1.0
 */
import * as OpenApi from "@effect/platform/OpenApi"
import * as ServiceApi from "./ServiceApi.js"

/**
 * Where the two gateways are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Addresses {
  readonly baseUrl: string
  readonly authUrl: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface OpenApiDocument extends ReturnType<typeof make> {}

/**
 * The document, with the addresses as the interface writes them unless they are given.
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
export const make = ({ authUrl, baseUrl }: Addresses = asWritten) => {
  const main = OpenApi.fromApi(ServiceApi.main, options)
  const account = OpenApi.fromApi(ServiceApi.account, options)
  const {
    HttpApiDecodeError: _,
    Issue: __,
    PropertyKey: ___,
    ...schemas
  } = { ...main.components.schemas, ...account.components.schemas }
  return {
    openapi: main.openapi,
    info: {
      title: "Payments, Payouts and Virtual Cards",
      version: "1.0.0",
      description:
        "The operations of the service that Manilla declares. The error statuses are those that the service's interface promises."
    },
    servers: [{ url: baseUrl, description: "The root of the main gateway, with its version" }],
    tags: [...main.tags, ...account.tags],
    paths: { ...paths(main), ...paths(account, [{ url: authUrl }]) },
    components: { schemas, securitySchemes: { bearer } }
  }
}

const asWritten: Addresses = { baseUrl: "{base_url}", authUrl: "{auth_url}" }

/** Unknown members never fail a decode. */
const options = { additionalPropertiesStrategy: "allow" } as const

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "An access token from POST {auth_url}/auth/application/token"
} as const

const paths = (document: OpenApi.OpenAPISpec, servers?: ReadonlyArray<{ readonly url: string }>) =>
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
  const { access, replay } = declared
  const scopes = access === "bearer" ? [] : [access]
  return {
    ...described,
    responses: responses(described.responses),
    security: access === "credentials" ? [] : [{ bearer: scopes }],
    "x-manilla-replay": replay
  }
}

/**
 * The interface leaves the success statuses of all but one operation unsaid: any 2xx is success.
 * The 400 that the platform adds to every operation is not the service's.
 */
const responses = (all: OpenApi.OpenAPISpecResponses) => {
  const { 200: success, 400: _, ...declared } = all
  return success === undefined ? declared : { "2XX": success, ...declared }
}
