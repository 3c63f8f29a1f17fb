/**
 * Validates a request against the schemas of its operation. The issues name every invalid field and
 * its rule, never the value.
 */
import type { Issue } from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as query from "./query.js"

export interface Parts {
  readonly path: unknown
  readonly urlParams: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The schemas of the parts of a request. */
export type Schemas = {
  readonly [Name in "pathParams" | "urlParams" | "headers" | "payload"]?:
    Schema.Schema.AnyNoContext | undefined
}

export interface Options {
  /** Whether unknown members are ignored or issues. Defaults to `"ignore"`. */
  readonly unknownMembers?: "ignore" | "error"
}

export const compile = (
  schemas: Schemas,
  { unknownMembers = "ignore" }: Options = {}
): ((parts: Parts) => ReadonlyArray<Issue>) => {
  const part = partOf(unknownMembers)
  const path = part(schemas.pathParams, ["path"])
  const urlParams = part(schemas.urlParams && query.fromText(schemas.urlParams), ["urlParams"])
  const headers = part(schemas.headers, ["headers"])
  const payload = part(schemas.payload, [])
  const takesBody = schemas.payload !== undefined
  return (parts) => [
    ...path(parts.path),
    ...urlParams(parts.urlParams),
    ...headers(parts.headers),
    ...(takesBody ? bodyIssues(parts, payload) : [])
  ]
}

const bodyIssues = (
  { body, headers }: Parts,
  payload: (input: unknown) => ReadonlyArray<Issue>
): ReadonlyArray<Issue> => {
  const type = headers["content-type"]
  return type !== undefined && !/^application\/json(\s*;|\s*$)/i.test(type)
    ? [{ field: "headers.content-type", rule: "must be application/json" }]
    : Either.match(parseJson(body), {
        onLeft: () => [{ field: "request", rule: "must be JSON" }],
        onRight: payload
      })
}

const parseJson = (body: Uint8Array): Either.Either<unknown, unknown> =>
  Either.try((): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)))

const partOf =
  (onExcessProperty: "ignore" | "error") =>
  (
    schema: Schema.Schema.AnyNoContext | undefined,
    root: ReadonlyArray<PropertyKey>
  ): ((input: unknown) => ReadonlyArray<Issue>) =>
    schema === undefined ? () => [] : Issues.validator(schema, root, { onExcessProperty })
