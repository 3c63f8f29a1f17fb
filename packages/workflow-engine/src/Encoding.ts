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
    const check = (name: string, member: unknown) => {
      if (typeof member === "number" && !Number.isFinite(member)) {
        issues.push(new ParseResult.Pointer(name, member, refuse(member)))
      }
      return member
    }
    let text = ""
    try {
      text = JSON.stringify(value)
      // A number that is not finite is `null` there. A replacer for each value is slow.
      if (text.includes("null")) JSON.stringify(value, check)
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

/** The text of `Schema.Exit`, which would check each value twice. */
const storedExit = <A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) => {
  const cause = Schema.Cause({ error: failure, defect: Schema.Defect })
  return json(
    Schema.Union(
      Schema.TaggedStruct("Success", { value: success }),
      Schema.TaggedStruct("Failure", { cause })
    )
  )
}
type StoredExit<A, E> = ReturnType<typeof storedExit<A, unknown, E, unknown>>["Type"]

const toExit = <A, E>(stored: StoredExit<A, E>): Exit.Exit<A, E> =>
  stored._tag === "Success" ? Exit.succeed(stored.value) : Exit.failCause(stored.cause)
const fromExit = <A, E>(exit: Exit.Exit<A, E>): StoredExit<A, E> =>
  Exit.isSuccess(exit)
    ? { _tag: "Success", value: exit.value }
    : { _tag: "Failure", cause: exit.cause }

/**
 * The end of a step or an execution, as it is stored: its `Exit` as JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const exitJson = <A, I, E, EI>(
  success: Schema.Schema<A, I>,
  failure: Schema.Schema<E, EI>
): Schema.Schema<Exit.Exit<A, E>, string> =>
  Schema.transform(
    storedExit(success, failure),
    Schema.declare((exit): exit is Exit.Exit<A, E> => Exit.isExit(exit)),
    { decode: toExit, encode: fromExit }
  )

/**
 * An encoded end, and the same end as later runs read it.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodedExit<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly json: string
}

/**
 * The size of the largest text that an engine of this package stores, in bytes of UTF-8: more than the largest body that a
 * client reads by default. A database takes seconds for a statement with it, and ends one after 30 seconds.
 *
 * @since 0.1.0
 * @category constants
 */
export const mostBytes = 10_000_000

/**
 * The size of a text that is too large to be stored, in bytes of UTF-8. Undefined for any other.
 *
 * @since 0.1.0
 * @category predicates
 */
export const tooLarge = (text: string, maxBytes: number): number | undefined => {
  // A character has at most three bytes.
  if (text.length * 3 <= maxBytes) return undefined
  const bytes = new TextEncoder().encode(text).length
  return bytes > maxBytes ? bytes : undefined
}

/**
 * How an end is stored.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreOptions<A, E> {
  /** By default `mostBytes`. */
  readonly maxBytes?: number | undefined
  /** The end in place of one that is too large, or cannot be encoded, and why. By default, a defect. */
  readonly instead?: ((why: string, exit: Exit.Exit<A, E>) => Exit.Exit<A, E>) | undefined
}

/**
 * Encodes and decodes the end of a step or an execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExitCodec<A, E> {
  /** Fails with a text about the subject if the end cannot be encoded and read again, or is too large. */
  readonly encode: (
    subject: string,
    exit: Exit.Exit<A, E>,
    maxBytes?: number
  ) => Effect.Effect<EncodedExit<A, E>, string>
  /** The same. It encodes another end in place of one that it cannot encode. */
  readonly store: (
    subject: string,
    exit: Exit.Exit<A, E>,
    options?: StoreOptions<A, E>
  ) => Effect.Effect<EncodedExit<A, E>>
  readonly fromJson: (json: string) => Effect.Effect<Exit.Exit<A, E>, ParseResult.ParseError>
}

/**
 * Encodes and decodes the text of `exitJson`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exitCodec = memoize(
  <A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>): ExitCodec<A, E> => {
    const schema = storedExit(success, failure)
    const toJson = Schema.encode(schema)
    const decode = Schema.decode(schema)
    const fromJson = (json: string) => Effect.map(decode(json), toExit)
    const encode: ExitCodec<A, E>["encode"] = (subject, exit, maxBytes = mostBytes) =>
      Effect.suspend(() => toJson(fromExit(exit))).pipe(
        Effect.flatMap((json) => Effect.map(fromJson(json), (exit) => ({ exit, json }))),
        Effect.catchAllDefect(Effect.fail),
        Effect.mapError((error) => {
          const reason = ParseResult.isParseError(error)
            ? Issues.print(Issues.fromParseIssue(error.issue, ["exit"]))
            : String(error)
          return `${subject} does not fit its schema, or JSON does not keep it: ${reason}. Use another value, or change the schema.`
        }),
        Effect.tap(({ json }) => {
          const bytes = tooLarge(json, maxBytes)
          return bytes === undefined
            ? Effect.void
            : Effect.fail(
                `${subject} has ${bytes} bytes as JSON, and the engine stores at most ${maxBytes}. Use less, such as an id.`
              )
        })
      )
    const store: ExitCodec<A, E>["store"] = (
      subject,
      exit,
      { instead = Exit.die, maxBytes } = {}
    ) =>
      Effect.catchAll(encode(subject, exit, maxBytes), (why) =>
        // A defect is small, and can be encoded.
        store(subject, instead(why, exit))
      )
    return { encode, fromJson, store }
  }
)

/** Without the services that it needs: they are those of the layer of a workflow. */
const schemaOf = memoize(<S extends Schema.Schema.All>({ ast }: S) =>
  Schema.make<S["Type"], S["Encoded"]>(ast)
)

/**
 * The schemas of a workflow, of an activity or of a signal.
 *
 * @since 0.1.0
 * @category models
 */
export interface Schemas<A extends Schema.Schema.Any, E extends Schema.Schema.All> {
  readonly successSchema: A
  readonly errorSchema: E
}

/**
 * Encodes and decodes the end of an execution or of an activity, or a signal.
 *
 * @since 0.1.0
 * @category constructors
 */
export const endCodec = <A extends Schema.Schema.Any, E extends Schema.Schema.All>({
  errorSchema,
  successSchema
}: Schemas<A, E>): ExitCodec<A["Type"], E["Type"]> =>
  exitCodec(schemaOf(successSchema), schemaOf(errorSchema))

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
