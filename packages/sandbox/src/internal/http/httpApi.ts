/**
 * The declared operations as an `HttpApi` of `@effect/platform`, the source of the sandbox's router and
 * of the OpenAPI document.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import type * as Operation from "@manilla/core/Operation"
import * as envelope from "./envelope.js"
import * as query from "./query.js"

/** An operation as an endpoint with the same types. */
export type Endpoint<
  Name extends string,
  O extends Operation.Operation
> = HttpApiEndpoint.HttpApiEndpoint<
  Name,
  O["method"],
  TypeOf<O["pathParams"]>,
  TypeOf<O["urlParams"]>,
  TypeOf<O["payload"]>,
  TypeOf<O["headers"]>,
  Success<O["success"]["Type"]>,
  O["errors"] extends ReadonlyArray<number> ? envelope.Failure : never
>

type TypeOf<S> = S extends { readonly Type: infer A } ? A : never

interface Success<out Data> {
  readonly success: true
  readonly data: Data
  readonly meta?: typeof envelope.Meta.Type | undefined
}

/** A group of operations as a group of endpoints. */
export type Group<G extends Operation.Group> =
  G extends Operation.Group<infer Name, infer Operations>
    ? HttpApiGroup.HttpApiGroup<
        Name,
        {
          [OperationName in keyof Operations & string]: Endpoint<
            OperationName,
            Operations[OperationName]
          >
        }[keyof Operations & string],
        never
      >
    : never

export const make = <const Id extends string, const Groups extends ReadonlyArray<Operation.Group>>(
  id: Id,
  groups: Groups
): HttpApi.HttpApi<Id, Group<Groups[number]>, HttpApiDecodeError> => {
  const api = groups.reduce<HttpApi.HttpApi.AnyWithProps>(
    (api, group) => api.add(toGroup(group)),
    HttpApi.make(id)
  )
  // Each group and endpoint is made from the operation of the same name, as `Group` requires.
  return api as never
}

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
  if (urlParams !== undefined) endpoint = endpoint.setUrlParams(query.fromText(urlParams))
  if (headers !== undefined) endpoint = endpoint.setHeaders(headers)
  if (payload !== undefined) endpoint = endpoint.setPayload(payload)
  for (const status of errors) endpoint = endpoint.addError(envelope.Failure, { status })
  return endpoint
}
