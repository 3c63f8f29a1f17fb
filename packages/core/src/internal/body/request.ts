/**
 * Encodes the request of an operation, once per call: all attempts of a call send the same bytes.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Errors from "../../Errors.js"
import { IdempotencyKey } from "../../IdempotencyKey.js"
import * as Issues from "../../Issues.js"
import type * as Operation from "../../Operation.js"
import type * as RetryPolicy from "../../RetryPolicy.js"
import * as guard from "./guard.js"

export interface Encoded {
  /** The path and query, escaped. */
  readonly target: string
  /** Headers except `authorization` and `traceparent`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly key: IdempotencyKey | undefined
  /** The id or reference in the path, to check the response. */
  readonly subject: string | undefined
  /** The body before encoding, to check the response and to redact errors. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** The parts of a request, as `Operation.Request` types them for each operation. */
export interface Parts {
  readonly path?: unknown
  readonly urlParams?: unknown
  /** Query parameters that the interface does not define. */
  readonly extraParams?: Readonly<Record<string, string>> | undefined
  readonly headers?: unknown
  readonly payload?: unknown
}

type Encoder = (parts: Parts) => Either.Either<Encoded, Errors.InvalidRequestError>

export const makeEncoder = (name: string, operation: Operation.Operation): Encoder => {
  const path = part("path", operation.pathParams)
  const urlParams = part("urlParams", operation.urlParams)
  const headers = part("headers", operation.headers)
  const payload = part(undefined, operation.payload)
  const extraParams = part("extraParams", ExtraParams)
  const segments = template(operation.path)
  const subjectName = subjectOf(segments)
  const { payload: payloadSchema, replay } = operation
  const fixedHeaders = {
    accept: "application/json",
    // Not every client decompresses responses.
    "accept-encoding": "identity",
    ...(payloadSchema === undefined ? {} : { "content-type": "application/json" })
  }

  return (parts) => {
    const issues: Array<Errors.Issue> = []
    const pathMembers = path(parts.path, issues)
    const query = urlParams(parts.urlParams, issues)
    const headerMembers = headers(parts.headers, issues)
    const body = payload(parts.payload, issues)
    const extras = parts.extraParams === undefined ? none : extraParams(parts.extraParams, issues)
    for (const name in extras) {
      if (!Object.hasOwn(query, name) || query[name] === undefined) continue
      const rule = "must not repeat a parameter of the request"
      issues.push({ field: `extraParams.${name}`, rule })
    }
    const target = fill(segments, pathMembers, issues) + search(query, extras, issues)
    const allHeaders = withHeaders(fixedHeaders, headerMembers, issues)
    const text = payloadSchema === undefined ? undefined : jsonOf(body, issues)
    if (issues.length > 0)
      return Either.left(Issues.invalidRequest(name, issues.map(nameKey(replay))))
    const key = keyOf(replay, headerMembers, body)
    return Either.right({
      target,
      headers: allHeaders,
      body: text,
      key,
      subject: subjectName === undefined ? undefined : textOf(pathMembers[subjectName]),
      payload: body
    })
  }
}

/** `JSON.stringify` throws for some values, such as a bigint. */
const jsonOf = (body: Members, issues: Array<Errors.Issue>): string | undefined => {
  try {
    return JSON.stringify(body)
  } catch {
    issues.push(unreadable(undefined))
    return undefined
  }
}

/** Names the key as callers know it: the option `key`, not its header or field. */
const nameKey = (replay: RetryPolicy.Replay) => {
  const field = replay._tag === "Keyed" && keyFieldOf(replay)
  return (issue: Errors.Issue): Errors.Issue =>
    issue.field === field
      ? { field: "key", rule: `${issue.rule}; for example IdempotencyKey.derive("order", "42")` }
      : issue
}

const keyFieldOf = (replay: RetryPolicy.Keyed): string =>
  replay.in === "header" ? `headers.${replay.name}` : replay.name

type Members = Readonly<Record<string, unknown>>

const none: Members = {}

/** Copies and validates one part of a request. The fields of issues start with `prefix`. */
const part = (
  prefix: string | undefined,
  schema: Schema.Schema.AnyNoContext | undefined
): ((input: unknown, issues: Array<Errors.Issue>) => Members) => {
  if (schema === undefined) return () => none
  const copy = copyOf(schema)
  const fits = guard.compile(schema, "refuse")
  const issuesOf = Issues.validator(schema, prefix === undefined ? [] : [prefix], {
    onExcessProperty: "error"
  })
  return (input, issues) => {
    try {
      const members = copy(input)
      if (guard.isRecord(members) && fits(members)) return members
      const found = issuesOf(members)
      issues.push(...(found.length > 0 ? found : [unreadable(prefix)]))
    } catch {
      issues.push(unreadable(prefix))
    }
    return none
  }
}

const unreadable = (prefix: string | undefined): Errors.Issue => ({
  field: prefix ?? "request",
  rule: "must be plain data that can be read"
})

/**
 * Copies the own enumerable members of a request's structs, as JSON does, and reads each once. A class
 * instance becomes plain data.
 */
const copyOf = (schema: Schema.Schema.AnyNoContext): ((input: unknown) => unknown) => {
  const nested = guard.structsIn(schema)
  return (input) => {
    if (!guard.isRecord(input)) return input
    const copy: Record<string, unknown> = { ...input }
    for (const name of nested) {
      const member = copy[name]
      if (guard.isRecord(member)) copy[name] = { ...member }
    }
    return copy
  }
}

const ExtraParams = Schema.Record({
  key: Schema.String,
  value: Schema.UndefinedOr(Schema.String)
})

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined

// -----------------------------------------------------------------------------------------------
// Path and query
// -----------------------------------------------------------------------------------------------

/** A literal or a parameter in a path such as `/payments/:paymentIntent`. */
type Segment = { readonly text: string } | { readonly parameter: string }

const template = (path: string): ReadonlyArray<Segment> =>
  path
    .split("/")
    .slice(1)
    .map((text) => (text.startsWith(":") ? { parameter: text.slice(1) } : { text }))

/** The parameter of a path with exactly one. */
const subjectOf = (segments: ReadonlyArray<Segment>): string | undefined => {
  const names = segments.flatMap((segment) => ("parameter" in segment ? [segment.parameter] : []))
  return names.length === 1 ? names[0] : undefined
}

const fill = (
  segments: ReadonlyArray<Segment>,
  members: Members,
  issues: Array<Errors.Issue>
): string => {
  let path = ""
  for (const segment of segments) {
    path += "/"
    if ("text" in segment) {
      path += segment.text
      continue
    }
    const value = String(members[segment.parameter] ?? "")
    // URL parsers remove dot segments, escaped or not.
    if (
      members !== none &&
      (value === "" || value === "." || value === ".." || !isWellFormed(value))
    ) {
      const rule = `must be well-formed Unicode text that is not empty, "." or ".."`
      issues.push({ field: `path.${segment.parameter}`, rule })
    } else {
      path += encodeURIComponent(value)
    }
  }
  return path
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const search = (query: Members, extras: Members, issues: Array<Errors.Issue>): string => {
  let text = ""
  for (const [name, value] of [...Object.entries(query), ...Object.entries(extras)]) {
    if (value === undefined) continue
    const pair = [name, String(value)]
    if (!pair.every(isWellFormed)) {
      issues.push({ field: `urlParams.${name}`, rule: "must be well-formed Unicode text" })
    } else {
      text += `${text === "" ? "?" : "&"}${pair.map(encodeURIComponent).join("=")}`
    }
  }
  return text
}

// -----------------------------------------------------------------------------------------------
// Headers and key
// -----------------------------------------------------------------------------------------------

const withHeaders = (
  fixed: Readonly<Record<string, string>>,
  members: Members,
  issues: Array<Errors.Issue>
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = { ...fixed }
  for (const name in members) {
    const value = members[name]
    if (typeof value !== "string") continue
    if (isPrintable(value)) headers[name] = value
    else
      issues.push({
        field: `headers.${name}`,
        rule: "must contain only printable ASCII characters"
      })
  }
  return headers
}

const isPrintable = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const isKey = guard.compile(IdempotencyKey)

const keyOf = (
  replay: RetryPolicy.Replay,
  headers: Members,
  payload: Members
): IdempotencyKey | undefined => {
  if (replay._tag !== "Keyed") return undefined
  const key = (replay.in === "header" ? headers : payload)[replay.name]
  return hasKeyForm(key) ? key : undefined
}

const hasKeyForm = (value: unknown): value is IdempotencyKey => isKey(value)
