/**
 * A request against the schemas of its operation: every broken field and its rule, and never the
 * value that broke it.
 */
import type { Issue } from "@manilla/core/Errors"
import type * as Operation from "@manilla/core/Operation"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

export interface Parts {
  readonly path: unknown
  readonly urlParams: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export const compile = (
  operation: Operation.Operation
): ((parts: Parts) => ReadonlyArray<Issue>) => {
  const path = part(operation.pathSchema, ["path"])
  const urlParams = part(operation.urlParamsSchema, ["urlParams"])
  const headers = part(operation.headersSchema, ["headers"])
  const payload = part(operation.payloadSchema, [])
  const takesBody = Option.isSome(operation.payloadSchema)
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

const part = (
  schema: Option.Option<Schema.Schema.AnyNoContext>,
  root: ReadonlyArray<PropertyKey>
): ((input: unknown) => ReadonlyArray<Issue>) => {
  if (Option.isNone(schema)) return () => []
  const decode = ParseResult.decodeUnknownEither(schema.value, { errors: "all" })
  return (input) =>
    Either.match(decode(input), {
      onLeft: (issue) => collect(issue, root),
      onRight: () => []
    })
}

const collect = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Issue> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, path.concat(issue.path))
    case "Composite": {
      const inner = [issue.issues].flat().flatMap((one) => collect(one, path))
      if (issue.ast._tag !== "Union") return inner
      // The members of a union each complain about the same place: say once what would do.
      const deeper = inner.filter(({ field }) => field !== nameOf(path))
      return deeper.length > 0 ? deeper : at(path, `must be ${expected(issue.ast)}`)
    }
    case "Missing":
      return at(path, "is required")
    case "Unexpected":
      return at(path, "is not a field of this request")
    case "Transformation":
      return collect(issue.issue, path)
    case "Refinement":
      return issue.kind === "From" && issue.issue._tag !== "Type"
        ? collect(issue.issue, path)
        : at(path, `must be ${expected(issue.ast)}`)
    case "Type":
    case "Forbidden":
      return at(path, `must be ${expected(issue.ast)}`)
  }
}

const at = (path: ReadonlyArray<PropertyKey>, rule: string): ReadonlyArray<Issue> => [
  { field: nameOf(path), rule }
]

const nameOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.length === 0 ? "request" : path.map(String).join(".")

const expected = (ast: AST.AST): string =>
  Option.getOrElse(AST.getDescriptionAnnotation(ast), () => {
    switch (ast._tag) {
      case "Union":
        return ast.types
          .filter((member) => member._tag !== "UndefinedKeyword")
          .map(expected)
          .join(" or ")
      case "Refinement":
      case "Transformation":
        return expected(ast.from)
      case "TypeLiteral":
        return "an object"
      case "TupleType":
        return "an array"
      default:
        return String(ast)
    }
  })
