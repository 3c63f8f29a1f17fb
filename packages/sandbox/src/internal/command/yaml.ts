/**
 * Reads YAML, of which JSON is a part, with a schema. Issues have the lines of the file.
 */
import * as Issues from "@manilla/core/Issues"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as file from "./file.js"

export interface Options {
  /** Whether numbers are read as text: an amount without quotes could lose digits. */
  readonly numbersAsText: boolean
}

/** Decodes a file, or fails with its issues in one line. */
export const decoder = <A, I>(schema: Schema.Schema<A, I>, options: Options) => {
  const decode = Schema.decodeUnknownEither(schema)
  const issuesOf = Issues.validator(schema, [], { onExcessProperty: "error" })
  return (text: string): Effect.Effect<A, string> =>
    Effect.gen(function* () {
      const { lineOf, mistakes, value } = yield* Effect.tryPromise({
        try: () => parse(text, options),
        catch: file.reasonOf
      })
      if (mistakes.length > 0) return yield* Effect.fail(mistakes.join("; "))
      const decoded = decode(value)
      const issues = issuesOf(value).map(
        (issue) => lineOf(issue.field.split(".")) + Issues.print([issue])
      )
      if (issues.length > 0 || Either.isLeft(decoded)) return yield* Effect.fail(issues.join("; "))
      return decoded.right
    })
}

const parse = async (text: string, { numbersAsText }: Options) => {
  // Most starts have no such file. In the bundled command, a module in CommonJS has only its default.
  const { default: yaml } = await import("yaml")
  const { LineCounter, isNode, parseDocument } = yaml
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    customTags: (tags) =>
      numbersAsText
        ? tags.filter((tag) => typeof tag === "string" || !/:(int|float)$/.test(tag.tag))
        : tags
  })
  const line = (offset: number) => `line ${lineCounter.linePos(offset).line}: `
  const mistakes = [...document.errors, ...document.warnings]
  const value: unknown = mistakes.length > 0 ? undefined : document.toJS()
  /** The offset of a field or, if it is missing, of what should have it. */
  const offsetOf = (path: ReadonlyArray<string>): number => {
    const node: unknown = document.getIn(path, true)
    if (isNode(node) && node.range) return node.range[0]
    return path.length === 0 ? 0 : offsetOf(path.slice(0, -1))
  }
  return {
    mistakes: mistakes.map(({ message, pos }) => line(pos[0]) + message),
    value,
    lineOf: (path: ReadonlyArray<string>) => line(offsetOf(path))
  }
}
