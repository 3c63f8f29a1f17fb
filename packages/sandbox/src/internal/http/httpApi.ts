/**
 * The declared operations as an `HttpApi` of `@effect/platform`, the source of the OpenAPI document.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import type * as Operation from "@manilla/core/Operation"
import * as envelope from "./envelope.js"

export const make = (
  id: string,
  groups: ReadonlyArray<Operation.Group>
): HttpApi.HttpApi.AnyWithProps =>
  groups.reduce<HttpApi.HttpApi.AnyWithProps>(
    (api, group) => api.add(toGroup(group)),
    HttpApi.make(id)
  )

const toGroup = ({ name, operations }: Operation.Group): HttpApiGroup.HttpApiGroup.AnyWithProps => {
  const bare: HttpApiGroup.HttpApiGroup.Any = HttpApiGroup.make(name)
  return Object.entries(operations).reduce(
    (group, [name, operation]) => group.add(toEndpoint(name, operation)),
    // The type of a group without endpoints has `never` where `AnyWithProps` has `any`.
    bare as HttpApiGroup.HttpApiGroup.AnyWithProps
  )
}

const toEndpoint = (
  name: string,
  operation: Operation.Operation
): HttpApiEndpoint.HttpApiEndpoint.AnyWithProps => {
  const { errors = [], headers, method, path, pathParams, payload, urlParams } = operation
  const bare: HttpApiEndpoint.HttpApiEndpoint.Any = HttpApiEndpoint.make(method)(name, path)
    .addSuccess(envelope.Success(operation.success), { status: operation.status })
    .annotate(OpenApi.Summary, operation.summary)
  // The type of an endpoint without schemas has `never` where `AnyWithProps` has `any`.
  let endpoint = bare as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  if (pathParams !== undefined) endpoint = endpoint.setPath(pathParams)
  if (urlParams !== undefined) endpoint = endpoint.setUrlParams(urlParams)
  if (headers !== undefined) endpoint = endpoint.setHeaders(headers)
  if (payload !== undefined) endpoint = endpoint.setPayload(payload)
  for (const status of errors) endpoint = endpoint.addError(envelope.Failure, { status })
  return endpoint
}
