/**
 * Decodes a request by the schemas of its operation. The issues name every invalid field and its rule,
 * never the value.
 */
import type { Issue } from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

export interface Parts {
  readonly path: unknown
  readonly urlParams: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The schemas of the parts of a request. */
export type Schemas = {
  readonly [Name in "pathParams" | "urlParams" | "headers" | "payload"]?:
    Schema.Schema.AnyNoContext | undefined
}

/** Reads the parts of a request. A part without a schema is `undefined`. */
export const compile = (schemas: Schemas, unknownMembers: "ignore" | "error" = "ignore") => {
  const part = partOf(unknownMembers)
  const path = part(schemas.pathParams, ["path"])
  const urlParams = part(schemas.urlParams, ["urlParams"])
  const headers = part(schemas.headers, ["headers"])
  const payload = part(schemas.payload, [])
  const takesBody = schemas.payload !== undefined
  return (parts: Parts) => {
    const read = {
      path: path(parts.path),
      urlParams: urlParams(withNumbers(parts.urlParams)),
      headers: headers(parts.headers),
      payload: takesBody ? Either.flatMap(jsonOf(parts), payload) : payload(undefined)
    }
    const issues = Object.values(read).flatMap((one) => (Either.isLeft(one) ? one.left : []))
    return issues.length > 0 ? Either.left(issues) : Either.all(read)
  }
}

type Read = Either.Either<unknown, ReadonlyArray<Issue>>

const jsonOf = ({ body, headers }: Parts): Read => {
  const type = headers["content-type"]
  return type !== undefined && !/^application\/json(\s*;|\s*$)/i.test(type)
    ? Either.left([{ field: "headers.content-type", rule: "must be application/json" }])
    : Either.try({
        try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
        catch: () => [{ field: "request", rule: "must be JSON" }]
      })
}

const partOf =
  (onExcessProperty: "ignore" | "error") =>
  (
    schema: Schema.Schema.AnyNoContext | undefined,
    root: ReadonlyArray<PropertyKey>
  ): ((input: unknown) => Read) => {
    if (schema === undefined) return () => Either.right(undefined)
    const decode = Schema.decodeUnknownEither(schema, { onExcessProperty })
    const issuesOf = Issues.validator(schema, root, { onExcessProperty })
    return (input) => Either.mapLeft(decode(input), () => issuesOf(input))
  }

/** Query parameters are strings, and one of them is declared as a number. */
const withNumbers = (search: Parts["urlParams"]) =>
  /^\d+$/.test(String(search["per_page"]))
    ? { ...search, per_page: Number(search["per_page"]) }
    : search
