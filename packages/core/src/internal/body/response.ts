/**
 * Reads the result of a request as a success or a failure.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Errors from "../../Errors.js"
import * as Issues from "../../Issues.js"
import type * as Operation from "../../Operation.js"
import * as RetryPolicy from "../../RetryPolicy.js"
import { failure } from "./reading.js"
import { decompress } from "../transport/decompress.js"
import type { Context, Failure, Reading } from "./reading.js"
import * as guard from "./guard.js"
import { member } from "./guard.js"
import * as messages from "../text/messages.js"
import * as responseChecks from "./responseChecks.js"
import type { Answered, Headers, Lost, Result } from "../transport/transport.js"

/** The ids in a response, for spans and hooks. */
export interface Meta {
  readonly correlationId: string | undefined
  readonly resource: messages.Found
}

export interface Reader {
  readonly read: (result: Result, context: Context) => Reading
  readonly meta: (reading: Reading) => Meta
}

export const makeReader = (name: string, operation: Operation.Operation): Reader => {
  const fits = guard.compile(operation.success)
  const explain = ParseResult.decodeUnknownEither(operation.success)
  const checks = responseChecks.make(operation)
  const noSuccess = errorStatus(name, operation.access)
  const unreadable = malformed(name)

  const read: Reader["read"] = (result, context) => {
    if (result._tag !== "Answered") return noResponse(name, result, context)
    const { status } = result
    const isSuccess = status >= 200 && status < 300
    const parsed = parse(result, context.bodyLimit)
    const value = parsed._tag === "Json" ? parsed.value : undefined
    const succeeded = successOf(value)
    // An error status around `success: true`: the request may have been applied.
    const isContradicted = status >= 400 && succeeded === true
    // The order matters: the first evidence decides. An error status counts even if its body is lost or
    // unreadable, and a success with a lost body is retried as a lost connection, not reported as unreadable.
    // Data is compared with the request before its schema, because another resource may match the schema as well.
    if (!isSuccess && !isContradicted) return noSuccess(result, parsed, value, context)
    if (parsed._tag === "Lost") return noResponse(name, parsed, context)
    if (parsed._tag === "Page") return unreadable(result, context, "NotJson", undefined, [], true)
    if (parsed._tag !== "Json") return unreadable(result, context, parsed._tag, undefined)
    if (succeeded === undefined) return unreadable(result, context, "NotAnEnvelope", value)
    if (succeeded !== isSuccess) return unreadable(result, context, "Contradiction", value)

    const data = member(value, "data")
    const { request } = context
    const differs = checks.differs(request, data)
    if (checks.isAbout(request, data) === false || differs.length > 0) {
      const issues = differs.map((field) => ({ field, rule: "must match the request" }))
      const found = foundIn(checks.resource(data), context)
      return { ...unreadable(result, context, "AnotherSubject", value, issues), found, differs }
    }
    if (fits(data)) return { _tag: "Success", data, status, envelope: value, context }

    const errors = parsed.text.length > detailedLength ? "first" : "all"
    const explained = explain(data, { errors })
    const issues = Either.isLeft(explained) ? Issues.fromParseIssue(explained.left, ["data"]) : []
    const reason = checks.isOwn(request, data) ? "DataMisfit" : "Unrelated"
    const found = foundIn(checks.resource(data), context)
    return { ...unreadable(result, context, reason, value, issues), found }
  }

  const meta: Reader["meta"] = (reading) => {
    if (reading._tag === "Success") {
      const { context, data, envelope } = reading
      const resource = foundIn(checks.resource(data), context)
      return { correlationId: correlationIdOf(envelope, context), resource }
    }
    return { correlationId: reading.correlationId(), resource: reading.found }
  }

  return { read, meta }
}

/** Longer bodies report their first issue only: all issues of a long body may take gigabytes. */
const detailedLength = 16_384

const foundIn = (resource: unknown, { sanitizer }: Context): messages.Found => {
  const named = (name: string) => {
    const value = member(resource, name)
    return typeof value === "string" && value !== "" ? sanitizer().identifier(value) : undefined
  }
  return { id: named("id"), reference: named("reference") }
}

// -----------------------------------------------------------------------------------------------
// No response
// -----------------------------------------------------------------------------------------------

const noResponse = (
  operation: string,
  result: Exclude<Result, Answered>,
  { sanitizer }: Context
): Failure => {
  if (result._tag === "TimedOut") {
    const { afterMillis } = result
    return failure((addition) => {
      const message = messages.timedOut(operation, afterMillis, addition)
      return new Errors.TimeoutError({ operation, message, afterMillis })
    }, "TimeoutError")
  }
  const { code, reason: words } = result
  const sent = result._tag === "Lost"
  return failure(
    (addition) => {
      const reason = words === undefined ? undefined : sanitizer().text(words)
      const message = messages.noConnection(operation, { ...result, reason }, addition)
      return new Errors.TransportError({ operation, message, sent, code, reason })
    },
    sent ? "ConnectionLost" : "NotSent"
  )
}

// -----------------------------------------------------------------------------------------------
// Bodies
// -----------------------------------------------------------------------------------------------

type Parsed =
  | { readonly _tag: "Json"; readonly value: unknown; readonly text: string }
  /** `Page` is HTML. */
  | { readonly _tag: "Empty" | "NotText" | "NotJson" | "Page" | "TooLarge" }
  | Lost

/** Also removes a byte order mark. */
const decoder = new TextDecoder("utf-8", { fatal: true })

/** A body that is still compressed is no JSON: `fetch` decompresses it, but keeps the header. */
const parse = ({ body, headers }: Answered, limit: number): Parsed => {
  if (body === "TooLarge") return { _tag: body }
  if (!(body instanceof Uint8Array)) return body
  const parsed = parseText(body)
  const { "content-encoding": encoding } = headers
  if (parsed._tag === "Json" || typeof encoding !== "string") return parsed
  const whole = decompress(body, encoding, limit)
  if (whole === undefined) return parsed
  return whole === "TooLarge" ? { _tag: whole } : parseText(whole)
}

const parseText = (body: Uint8Array): Exclude<Parsed, Lost> => {
  let text: string
  try {
    text = decoder.decode(body)
  } catch {
    return { _tag: "NotText" }
  }
  try {
    const value: unknown = JSON.parse(text)
    return { _tag: "Json", value, text }
  } catch {
    const [first] = text.trimStart()
    return { _tag: first === undefined ? "Empty" : first === "<" ? "Page" : "NotJson" }
  }
}

const successOf = (value: unknown): boolean | undefined => {
  const success = member(value, "success")
  return typeof success === "boolean" ? success : undefined
}

/** Reads each field of the error separately, so that an incomplete envelope is read as well. */
const serviceErrorIn = (value: unknown, { sanitizer }: Context) => {
  const error = member(member(value, "data"), "error")
  const shown = (name: string) => {
    const text = member(error, name)
    return typeof text === "string" ? sanitizer().text(text) : undefined
  }
  const details = member(error, "details")
  return {
    code: shown("code"),
    serviceMessage: shown("message"),
    details: details === undefined ? undefined : sanitizer().json(details)
  }
}

const correlationIdOf = (value: unknown, { sanitizer }: Context): string | undefined => {
  const id = member(member(value, "meta"), "correlation_id")
  return typeof id === "string" && id !== "" ? sanitizer().identifier(id) : undefined
}

// -----------------------------------------------------------------------------------------------
// Errors by status
// -----------------------------------------------------------------------------------------------

type Fields = ConstructorParameters<typeof Errors.ForbiddenError>[0] &
  ConstructorParameters<typeof Errors.RateLimitError>[0]

/** Each takes the fields that it declares. */
const classes: Partial<Record<RetryPolicy.Fault, new (fields: Fields) => Errors.ReadError>> = {
  BadRequestError: Errors.BadRequestError,
  UnauthorizedError: Errors.UnauthorizedError,
  ForbiddenError: Errors.ForbiddenError,
  NotFoundError: Errors.NotFoundError,
  ConflictError: Errors.ConflictError,
  UnprocessableError: Errors.UnprocessableError,
  RateLimitError: Errors.RateLimitError,
  ServerError: Errors.ServerError
}

const errorStatus =
  (operation: string, access: Operation.Access) =>
  ({ headers, status }: Answered, parsed: Parsed, value: unknown, context: Context): Failure => {
    const isPage = parsed._tag === "Page"
    const retryAfterMillis = parseRetryAfter(headers, context.nowMillis)
    const fault = RetryPolicy.faultOfStatus(status)
    const { [fault]: Class = Errors.UnexpectedStatusError } = classes
    const correlationId = () => correlationIdOf(value, context)
    const toError: Failure["toError"] = (addition) => {
      const shown = { status, ...serviceErrorIn(value, context), correlationId: correlationId() }
      const scopes = status === Errors.ForbiddenError.status ? scopesOf(access, context) : undefined
      const message = messages.errorStatus(
        operation,
        { ...shown, isPage, lack: isPage ? undefined : scopes?.lack },
        addition
      )
      const fields = { operation, message, ...shown, retryAfterMillis, grantedScopes: [] }
      return new Class({ ...fields, ...scopes?.members })
    }
    return failure(toError, fault, { status, retryAfterMillis, correlationId, isPage })
  }

/** The scope that a 403 may require, and the scopes of the token. */
const scopesOf = (access: Operation.Access, { grantedScopes: all, sanitizer }: Context) => {
  const requiredScope = access === "bearer" || access === "credentials" ? undefined : access
  const grantedScopes = all.slice(0, 100).map(sanitizer().text)
  const lack =
    requiredScope === undefined || all.includes(requiredScope)
      ? undefined
      : { scope: requiredScope, granted: sanitizer().text(grantedScopes.join(" ")) }
  return { members: { requiredScope, grantedScopes }, lack }
}

/** `Date.parse` alone accepts almost any text. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Some proxies send a fraction, which the standard does not know. */
const delaySeconds = /^\d+(?:\.\d+)?$/

/** The delay in milliseconds, if the header can be read. */
const parseRetryAfter = (headers: Headers, nowMillis: number): number | undefined => {
  const header = headers["retry-after"]
  if (typeof header !== "string") return undefined
  const text = header.trim()
  const millis = delaySeconds.test(text)
    ? Math.ceil(Number(text) * 1000)
    : httpDate.test(text)
      ? Date.parse(text) - nowMillis
      : NaN
  return Number.isNaN(millis) ? undefined : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, millis))
}

// -----------------------------------------------------------------------------------------------
// Unreadable responses
// -----------------------------------------------------------------------------------------------

const malformed =
  (operation: string) =>
  (
    { status }: Answered,
    context: Context,
    reason: Errors.MalformedReason,
    value: unknown,
    issues: ReadonlyArray<Errors.Issue> = [],
    isPage = false
  ): Failure => {
    const correlationId = () => correlationIdOf(value, context)
    const toError: Failure["toError"] = (addition) => {
      const shown = { status, ...serviceErrorIn(value, context), correlationId: correlationId() }
      return new Errors.MalformedResponseError({
        operation,
        message: messages.malformed(operation, { ...shown, isPage }, reason, issues, addition),
        ...shown,
        issues,
        reason
      })
    }
    return failure(toError, RetryPolicy.faultOfReason(reason), { status, correlationId })
  }
