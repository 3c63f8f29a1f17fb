/**
 * Validation issues as fields and rules, without the invalid values.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { InvalidRequestError } from "./Errors.js"
import type { Issue } from "./Errors.js"
import * as messages from "./internal/text/messages.js"

/**
 * Makes a function that lists the issues of an input; none if the input is valid.
 *
 * @since 0.1.0
 * @category constructors
 */
export const validator = (
  schema: Schema.Schema.AnyNoContext,
  root: ReadonlyArray<PropertyKey> = [],
  options: Pick<AST.ParseOptions, "onExcessProperty"> = {}
): ((input: unknown) => ReadonlyArray<Issue>) => {
  const decode = ParseResult.decodeUnknownEither(schema, { errors: "all", ...options })
  return (input) =>
    Either.match(decode(input), {
      onLeft: (issue) => fromParseIssue(issue, root),
      onRight: () => []
    })
}

/** Limits the size of errors: a page of 100 rows can have thousands of issues. */
const maxIssues = 20

/**
 * Converts a `ParseIssue` to at most 20 issues. Rules are the descriptions of the schemas; field paths
 * start with `root`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromParseIssue = (
  issue: ParseResult.ParseIssue,
  root: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Issue> => collect(issue, root).slice(0, maxIssues)

/**
 * Formats issues in one line: `amount is required; payer.lang must be "en" or "fr"`.
 *
 * @since 0.1.0
 * @category printing
 */
export const print: (issues: ReadonlyArray<Issue>) => string = messages.printIssues

/**
 * Makes the error of an operation whose input has these issues.
 *
 * @since 0.1.0
 * @category constructors
 */
export const invalidRequest = (
  operation: string,
  issues: ReadonlyArray<Issue>
): InvalidRequestError =>
  new InvalidRequestError({
    operation,
    message: messages.notSent(operation, messages.printIssues(issues)),
    issues
  })

const collect = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Issue> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, path.concat(issue.path))
    case "Composite": {
      const inner = [issue.issues].flat().flatMap((member) => collect(member, path))
      // Each member of a union reports the same field: report it once, with all alternatives.
      const here = field(path)
      return issue.ast._tag === "Union" && inner.every((member) => member.field === here)
        ? at(path, `must be ${expected(issue.ast)}`)
        : inner.filter((member) => issue.ast._tag !== "Union" || member.field !== here)
    }
    case "Missing":
      return at(path, "is required")
    case "Unexpected":
      return at(path, "is not a field of this request")
    case "Refinement":
      return issue.kind === "From" && issue.issue._tag !== "Type"
        ? collect(issue.issue, path)
        : at(path, `must be ${expected(issue.ast)}`)
    case "Transformation":
      return collect(issue.issue, path)
    default:
      return at(path, `must be ${expected(issue.ast)}`)
  }
}

const at = (path: ReadonlyArray<PropertyKey>, rule: string): ReadonlyArray<Issue> => [
  { field: field(path), rule }
]

const field = (path: ReadonlyArray<PropertyKey>): string =>
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
        return expected(ast.from)
      case "TypeLiteral":
        return "an object"
      case "TupleType":
        return "an array"
      default:
        return String(ast)
    }
  })
