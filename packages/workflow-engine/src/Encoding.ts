/**
 * Schemas of stored values, which are compiled once, and a comparison of stored values.
 *
 * @since 0.1.0
 */
import * as Issues from "@manilla/core/Issues"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

/**
 * The end of a step or an execution, as it is stored: its `Exit` as JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const exitJson = <A, I, E, EI>(
  success: Schema.Schema<A, I>,
  failure: Schema.Schema<E, EI>
) => Schema.parseJson(Schema.Exit({ success, failure, defect: Schema.Defect }))

/**
 * Encodes and decodes `exitJson`. `store` encodes an end and reads it again, as later runs do: one that JSON does not keep,
 * such as a number that is `NaN`, becomes a defect about its subject.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exitCodec = memoize(
  <A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) => {
    const schema = exitJson(success, failure)
    const toJson = Schema.encode(schema)
    const fromJson = Schema.decode(schema)
    const kept = (exit: typeof schema.Type) =>
      Effect.flatMap(toJson(exit), (json) => Effect.map(fromJson(json), (exit) => ({ json, exit })))
    const store = (subject: string, exit: typeof schema.Type) =>
      Effect.catchAll(kept(exit), ({ issue }) => {
        const issues = Issues.print(Issues.fromParseIssue(issue, ["exit"]))
        const defect = `${subject} does not fit its schema, or JSON does not keep it: ${issues}. Return another value, or change the schema.`
        return Effect.orDie(kept(Exit.die(defect)))
      })
    return { toJson, fromJson, store }
  }
)

/**
 * The paths of the members in which two JSON values differ.
 *
 * @since 0.1.0
 * @category comparison
 */
export const differences = (left: unknown, right: unknown, path = ""): ReadonlyArray<string> => {
  if (isObject(left) && isObject(right)) {
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  Predicate.isRecord(value) && !Array.isArray(value)
