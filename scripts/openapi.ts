// Writes docs/openapi.json: the OpenAPI 3.1 document of every declared operation. With --check,
// fails when the file is not what the declarations say.
import * as OpenApi from "@effect/platform/OpenApi"
import { Operation } from "@manilla/core"
import { ServiceApi } from "@manilla/sandbox"
import { emit } from "./generated.js"

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "An access token from POST {auth_url}/auth/application/token"
} as const

/**
 * The interface leaves the success statuses of all but one operation unsaid: any 2xx is success.
 * The 400 that the platform adds to every operation is not the service's.
 */
const responses = (declared: OpenApi.OpenAPISpecResponses) =>
  Object.fromEntries(
    Object.entries(declared)
      .filter(([status]) => status !== "400")
      .map(([status, response]) => [status === "200" ? "2XX" : status, response])
  )

const operation = (described: OpenApi.OpenAPISpecOperation) => {
  const declared = ServiceApi.operations.get(described.operationId)
  if (declared === undefined) throw new Error(`${described.operationId} is not declared`)
  const { access, replay } = declared[Operation.TypeId]
  const scopes = access === "bearer" ? [] : [access]
  return {
    ...described,
    responses: responses(described.responses),
    security: access === "credentials" ? [] : [{ bearer: scopes }],
    "x-manilla-replay": replay
  }
}

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

// Unknown members never fail a decode.
const options = { additionalPropertiesStrategy: "allow" } as const
const main = OpenApi.fromApi(ServiceApi.main, options)
const account = OpenApi.fromApi(ServiceApi.account, options)
const {
  HttpApiDecodeError: _,
  Issue: __,
  PropertyKey: ___,
  ...schemas
} = {
  ...main.components.schemas,
  ...account.components.schemas
}

const document = {
  openapi: main.openapi,
  info: {
    title: "Payments, Payouts and Virtual Cards",
    version: "1.0.0",
    description:
      "The operations of the service that Manilla declares. The error statuses are those that the service's interface promises."
  },
  servers: [{ url: "{base_url}", description: "The root of the main gateway, with its version" }],
  tags: [...main.tags, ...account.tags],
  paths: { ...paths(main), ...paths(account, [{ url: "{auth_url}" }]) },
  components: {
    schemas,
    securitySchemes: { bearer }
  }
}

emit("docs/openapi.json", `${JSON.stringify(document, null, 2)}\n`, "openapi")
