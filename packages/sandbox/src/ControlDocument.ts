/**
 * The OpenAPI 3.1 document of the control API, which the sandbox serves as `/_sandbox/openapi.json`.
 *
 * @since 0.1.0
 */
import * as OpenApi from "@effect/platform/OpenApi"
import * as ControlApi from "./ControlApi.js"

/**
 * The OpenAPI document of the control API.
 *
 * @since 0.1.0
 * @category models
 */
export interface ControlDocument extends ReturnType<typeof make> {}

/**
 * Builds the document. Its server is the one that serves it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = () => {
  const { components, openapi, paths, tags } = OpenApi.fromApi(ControlApi.api)
  const { HttpApiDecodeError: _, Issue: __, PropertyKey: ___, ...schemas } = components.schemas
  return {
    openapi,
    info: {
      title: "Manilla sandbox control",
      version: "1.0.0",
      description:
        "Controls of a running sandbox: its requests, ledger, faults, clock and settlements. They are no part of the emulated service."
    },
    servers: [{ url: "/", description: "The sandbox's main port" }],
    security: [],
    tags,
    paths: {
      ...Object.fromEntries(
        Object.entries(paths).map(([path, methods]) => [
          path,
          Object.fromEntries(
            Object.entries(methods).map(([method, operation]) => [
              method,
              { ...operation, responses: responses(operation.responses) }
            ])
          )
        ])
      ),
      [ControlApi.requestStream]: { get: requestStream }
    },
    components: { schemas }
  }
}

/** `HttpApi` does not describe events. */
const requestStream = {
  operationId: "liveRequests",
  tags: ["Requests"],
  summary: "Follow the requests as server-sent events",
  description:
    "An event `requests` has `requests`, a list of `Request` without bodies: the latest ones first, then those that arrived or ended. If `reset` is true, they replace all earlier ones.",
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

/** The platform adds a 400 to every operation, which the control API never answers. */
const responses = ({ 400: _, ...declared }: OpenApi.OpenAPISpecResponses) => ({
  ...declared,
  default: declared[403]
})
