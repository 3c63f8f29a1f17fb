/**
 * Schemas of stored values, which are compiled once, and a comparison of stored values.
 *
 * @since 0.1.0
 */
import * as Issues from "@manilla/core/Issues"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * A function whose results are kept for as long as its arguments exist. Effect compiles each new schema anew:
 * schemas that each execution made would be half of its cost.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memoize = <F extends (...args: Array<never>) => object>(make: F): F => {
  const root: Kept = new WeakMap()
  const kept = (...args: Array<never>): object => {
    let node = root
    for (const arg of args) {
      const next = node.get(arg) ?? new WeakMap()
      node.set(arg, next)
      node = next
    }
    const result = results.get(node) ?? make(...args)
    results.set(node, result)
    return result
  }
  return kept as F
}

type Kept = WeakMap<object, Kept>
const results = new WeakMap<Kept, object>()

const Serializable = Schema.Unknown.annotations({ description: "a value that JSON keeps" })

/** `Schema.parseJson` would make `null` of a number that is not finite. */
const SerializableJson = Schema.transformOrFail(Schema.String, Serializable, {
  strict: true,
  decode: (text, _, ast) =>
    ParseResult.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new ParseResult.Type(ast, text)
    }),
  encode: (value, _, ast) => {
    const issues: Array<ParseResult.ParseIssue> = []
    const refuse = (member: unknown) => new ParseResult.Type(Serializable.ast, member)
    let text = ""
    try {
      text = JSON.stringify(value, (name, member) => {
        if (typeof member === "number" && !Number.isFinite(member)) {
          issues.push(new ParseResult.Pointer(name, member, refuse(member)))
        }
        return member
      })
    } catch {
      // It has a cycle, or a bigint.
      issues.push(refuse(value))
    }
    return Arr.isNonEmptyArray(issues)
      ? ParseResult.fail(new ParseResult.Composite(ast, value, issues))
      : ParseResult.succeed(text)
  }
})

/**
 * A value as JSON. A number that is not finite, a bigint and a cycle cannot be encoded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const json = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, string, R> =>
  Schema.compose(SerializableJson, schema, { strict: false })

/**
 * The end of a step or an execution, as it is stored: its `Exit` as JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const exitJson = <A, I, E, EI>(
  success: Schema.Schema<A, I>,
  failure: Schema.Schema<E, EI>
) => json(Schema.Exit({ success, failure, defect: Schema.Defect }))

/**
 * Encodes and decodes the end of a step or an execution.
 *
 * @since 0.1.0
 * @category models
 */
export type ExitCodec<A, E> = ReturnType<typeof exitCodec<A, unknown, E, unknown>>

/**
 * Encodes and decodes `exitJson`. `encode` reads again what it has encoded, as later runs do, and fails with an error about
 * its subject if that is not possible. `store` encodes a defect in its place.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exitCodec = memoize(
  <A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) => {
    const schema = exitJson(success, failure)
    const toJson = Schema.encode(schema)
    const fromJson = Schema.decode(schema)
    type Encoded = { readonly exit: typeof schema.Type; readonly json: string }
    const encode = (subject: string, exit: typeof schema.Type): Effect.Effect<Encoded, string> =>
      Effect.suspend(() => toJson(exit)).pipe(
        Effect.flatMap((json) => Effect.map(fromJson(json), (exit) => ({ exit, json }))),
        Effect.catchAllDefect(Effect.fail),
        Effect.mapError((error) => {
          const reason = ParseResult.isParseError(error)
            ? Issues.print(Issues.fromParseIssue(error.issue, ["exit"]))
            : String(error)
          return `${subject} does not fit its schema, or JSON does not keep it: ${reason}. Use another value, or change the schema.`
        })
      )
    const store = (subject: string, exit: typeof schema.Type): Effect.Effect<Encoded> =>
      Effect.catchAll(encode(subject, exit), (defect) => store(subject, Exit.die(defect)))
    return { encode, fromJson, store }
  }
)

/**
 * The paths of the members in which two JSON values differ.
 *
 * @since 0.1.0
 * @category comparison
 */
export const differences = (left: unknown, right: unknown, path = ""): ReadonlyArray<string> => {
  if (Predicate.isRecord(left) && Predicate.isRecord(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    return [...names].flatMap((name) =>
      differences(left[name], right[name], path === "" ? name : `${path}.${name}`)
    )
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((item, i) => differences(item, right[i], `${path}[${i}]`))
  }
  return Object.is(left, right) ? [] : [path]
}
