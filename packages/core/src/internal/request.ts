/**
 * An operation's request, compiled once and encoded once per call: every attempt of a call sends
 * these same bytes.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.js"
import { IdempotencyKey } from "../IdempotencyKey.js"
import * as Issues from "../Issues.js"
import * as Members from "../Members.js"
import * as Operation from "../Operation.js"
import * as Sensitive from "../Sensitive.js"

export interface Encoded {
  /** The path with its parameters escaped, and the query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly key: IdempotencyKey | undefined
  /** The id or reference in the path: what the answer has to be about. */
  readonly subject: string | undefined
  /** What the answer must repeat of the body. */
  readonly echoes: ReadonlyArray<SentEcho>
  /** What must not be shown of whatever the service says back. Looked up only when it is needed. */
  readonly sensitive: () => ReadonlyArray<string>
}

export interface SentEcho extends Operation.Echo {
  readonly sent: string
}

/** The parts of a request, as `Operation.Request` types them for each operation. */
export interface Parts {
  readonly path?: unknown
  readonly urlParams?: unknown
  /** Query parameters that the interface does not show. */
  readonly extraParams?: Readonly<Record<string, string>> | undefined
  readonly headers?: unknown
  readonly payload?: unknown
}

export type Encoder = (parts: Parts) => Either.Either<Encoded, Errors.InvalidRequest>

export const compile = (name: string, operation: Operation.Operation): Encoder => {
  const path = part(operation.pathSchema, "path")
  const urlParams = part(operation.urlParamsSchema, "urlParams")
  const headers = part(operation.headersSchema, "headers")
  const payload = part(operation.payloadSchema, undefined)
  const segments = template(operation.path)
  const { made, replay } = operation[Operation.TypeId]

  return (parts) => {
    const found: Array<Errors.Issue> = []
    const take = <A>(encoded: Either.Either<A, ReadonlyArray<Errors.Issue>>): A | undefined =>
      Either.getOrElse(encoded, (broken) => {
        found.push(...broken)
        return undefined
      })

    const encodedQuery = record(take(urlParams(parts.urlParams)))
    const query = take(
      Either.flatMap(checkExtras(parts.extraParams, encodedQuery), (extras) =>
        toQuery({ ...encodedQuery, ...extras })
      )
    )
    const encodedHeaders = record(take(headers(parts.headers)))
    const encodedPayload = take(payload(parts.payload))
    const members = record(encodedPayload)
    const encodedPath = path(parts.path)
    const parameters = record(Either.getOrElse(encodedPath, () => undefined))
    const target = take(Either.flatMap(encodedPath, () => fill(segments, parameters)))
    const headerFields = take(checkHeaders(encodedHeaders))
    const body = encodedPayload === undefined ? undefined : take(toBytes(encodedPayload))

    if (
      found.length > 0 ||
      target === undefined ||
      query === undefined ||
      headerFields === undefined
    ) {
      return Either.left(
        new Errors.InvalidRequest({
          operation: name,
          message: `${name} was not sent: ${Issues.print(found)}. Nothing was applied.`,
          issues: found
        })
      )
    }
    return Either.right({
      target: query === "" ? target : `${target}?${query}`,
      headers: headerFields,
      body,
      subject: subjectOf(segments, parameters),
      echoes: echoesOf(made, members),
      key: keyOf(replay, headerFields, members),
      sensitive: () =>
        Option.match(operation.payloadSchema, {
          onNone: () => [],
          onSome: (schema) => Sensitive.values(schema, encodedPayload)
        })
    })
  }
}

/** Encodes one part of a request; issues of all but the body say which part they are in. */
const part = (
  schema: Option.Option<Schema.Schema.AnyNoContext>,
  prefix: string | undefined
): ((input: unknown) => Either.Either<unknown, ReadonlyArray<Errors.Issue>>) => {
  if (Option.isNone(schema)) return () => Either.right(undefined)
  const encode = ParseResult.encodeUnknownEither(schema.value, {
    errors: "all",
    onExcessProperty: "error"
  })
  const own = Members.own(schema.value)
  const root = prefix === undefined ? [] : [prefix]
  return (input) => {
    try {
      return Either.mapLeft(encode(own(input)), (issue) => Issues.fromParseIssue(issue, root))
    } catch {
      return Either.left([{ field: prefix ?? "request", rule: "must be data that can be read" }])
    }
  }
}

const record = (encoded: unknown): Readonly<Record<string, unknown>> =>
  typeof encoded === "object" && encoded !== null ? { ...encoded } : {}

/** `/payments/:paymentIntent` as literal text and the names of parameters. */
type Segment = { readonly text: string } | { readonly parameter: string }

const template = (path: string): ReadonlyArray<Segment> =>
  path
    .split("/")
    .slice(1)
    .map((text) => (text.startsWith(":") ? { parameter: text.slice(1) } : { text }))

const fill = (
  segments: ReadonlyArray<Segment>,
  parameters: Readonly<Record<string, unknown>>
): Either.Either<string, ReadonlyArray<Errors.Issue>> => {
  const broken: Array<Errors.Issue> = []
  const filled = segments.map((segment) => {
    if ("text" in segment) return segment.text
    const value = String(parameters[segment.parameter] ?? "")
    // A URL parser folds dot segments away, escaped or not.
    if (value === "" || value === "." || value === ".." || !isWellFormed(value)) {
      const field = `path.${segment.parameter}`
      broken.push({ field, rule: `must be text that can stand in a path, and not "." or ".."` })
      return ""
    }
    return encodeURIComponent(value)
  })
  return broken.length > 0 ? Either.left(broken) : Either.right(`/${filled.join("/")}`)
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const toQuery = (
  params: Readonly<Record<string, unknown>>
): Either.Either<string, ReadonlyArray<Errors.Issue>> => {
  const present = presentIn(params)
  const broken = present.filter((pair) => !pair.every(isWellFormed))
  return broken.length > 0
    ? Either.left(
        broken.map(([name]) => ({ field: `urlParams.${name}`, rule: "must be well-formed text" }))
      )
    : Either.right(new URLSearchParams(present.map(([name, value]) => [name, value])).toString())
}

/** Parameters that the interface does not show; never another value for one that was given. */
const checkExtras = (
  extras: Parts["extraParams"],
  own: Readonly<Record<string, unknown>>
): Either.Either<Readonly<Record<string, string>>, ReadonlyArray<Errors.Issue>> => {
  let present: ReadonlyArray<readonly [string, unknown]>
  try {
    present = Object.entries(extras ?? {}).filter(([, value]) => value !== undefined)
  } catch {
    return Either.left([{ field: "extraParams", rule: "must be text that can be read" }])
  }
  const taken: Array<readonly [string, string]> = []
  const broken = present.flatMap(([name, value]) => {
    const field = `extraParams.${name}`
    if (Object.hasOwn(own, name) && own[name] !== undefined) {
      return [{ field, rule: "must not be given twice: the request has it as well" }]
    }
    if (typeof value !== "string") return [{ field, rule: "must be text" }]
    taken.push([name, value])
    return []
  })
  return broken.length > 0 ? Either.left(broken) : Either.right(Object.fromEntries(taken))
}

const presentIn = (
  fields: Readonly<Record<string, unknown>>
): ReadonlyArray<readonly [string, string]> =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const]
  )

const checkHeaders = (
  fields: Readonly<Record<string, unknown>>
): Either.Either<Record<string, string>, ReadonlyArray<Errors.Issue>> => {
  const present = presentIn(fields)
  const broken = present.flatMap(([name, value]) =>
    /^[\x20-\x7e]*$/.test(value)
      ? []
      : [{ field: `headers.${name}`, rule: "must be printable ASCII characters" }]
  )
  return broken.length > 0 ? Either.left(broken) : Either.right(Object.fromEntries(present))
}

const toBytes = (payload: unknown): Either.Either<Uint8Array, ReadonlyArray<Errors.Issue>> =>
  Either.try({
    try: () => new TextEncoder().encode(JSON.stringify(payload)),
    catch: () => [{ field: "request", rule: "must be data that JSON can say" }]
  })

const subjectOf = (
  segments: ReadonlyArray<Segment>,
  parameters: Readonly<Record<string, unknown>>
): string | undefined => {
  const names = segments.flatMap((segment) => ("parameter" in segment ? [segment.parameter] : []))
  const value = parameters[names[0] ?? ""]
  return names.length === 1 && typeof value === "string" ? value : undefined
}

const echoesOf = (
  { echoes }: Operation.Made,
  payload: Readonly<Record<string, unknown>>
): Encoded["echoes"] =>
  echoes.flatMap((echo) => {
    const sent = payload[echo.field]
    return typeof sent === "string" ? [{ ...echo, sent }] : []
  })

const keyOf = (
  replay: Operation.Replay,
  headers: Readonly<Record<string, string>>,
  payload: Readonly<Record<string, unknown>>
): IdempotencyKey | undefined => {
  if (replay._tag !== "Keyed") return undefined
  const key = replay.in === "header" ? headers[replay.name] : payload[replay.name]
  return isKey(key) ? key : undefined
}

const isKey = Schema.is(IdempotencyKey)
