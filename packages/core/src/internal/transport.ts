/**
 * The transport between the gateway and the network. It sends a request once and returns one of four
 * results; it never fails.
 */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** One request. */
export interface Request {
  readonly method: "GET" | "POST"
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent as UTF-8. */
  readonly body: string | Uint8Array | undefined
  /** The timeout of the exchange, including the response body, in milliseconds. */
  readonly timeoutMillis: number
  /** The maximum size of the response body after decompression, in bytes. */
  readonly bodyLimit: number
}

/** The result of one attempt. */
export type Result = NotSent | Lost | TimedOut | Answered

/** No byte of the request was sent, so it was not applied. */
export interface NotSent {
  readonly _tag: "NotSent"
  /** The system's error code, such as `ECONNREFUSED`. */
  readonly code: string | undefined
}

/** The connection was lost after the request may have been sent. */
export interface Lost {
  readonly _tag: "Lost"
  /** The system's error code, such as `ECONNRESET`; `CLIENT_DIED` if the `HttpClient` died. */
  readonly code: string | undefined
}

/** No complete response arrived within the timeout. The request may have been sent. */
export interface TimedOut {
  readonly _tag: "TimedOut"
  readonly afterMillis: number
}

/** The service, or a proxy, responded. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Headers
  /** The body; `TooLarge` if it exceeds the limit; `Lost` if the connection was lost while reading. */
  readonly body: Uint8Array | "TooLarge" | Lost
}

/** The headers of a response, with names in lower case. */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Sends requests. It must not retry or follow redirects. */
export interface Transport {
  /** Sends a request once. Interruption aborts the request and releases its connection. */
  readonly send: (request: Request) => Effect.Effect<Result>
}

/** A client that died may have sent the request. */
export const died: Lost = { _tag: "Lost", code: "CLIENT_DIED" }

/** Created once: the stack trace of an error costs more than a request. */
export const aborted = /* @__PURE__ */ new Error("the request was aborted")

/** Concatenates chunks of `size` bytes in total. */
export const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** Whether a body may be read at once: its size is known, and within the limit. */
export const isBounded = (
  encoding: string | null | undefined,
  length: string | null | undefined,
  limit: number
): boolean =>
  (encoding ?? "identity") === "identity" && /^\d+$/.test(length ?? "") && Number(length) <= limit

/** The result of a request that failed with an error of the client. In doubt, it may have been sent. */
export const failed = (error: unknown): NotSent | Lost => {
  if (isBlockedPort(error)) return { _tag: "NotSent", code: "BLOCKED_PORT" }
  const failures = systemFailures(error)
  const isNotSent = failures.length > 0 && failures.every(isBeforeSending)
  return { _tag: isNotSent ? "NotSent" : "Lost", code: failures[0]?.code }
}

/** The result of a response whose body was lost. */
export const lost = (error: unknown): Lost => ({
  _tag: "Lost",
  code: systemFailures(error)[0]?.code
})

/** `fetch` of Node and Deno refuses some ports, such as 6000, with errors that have no code. */
const isBlockedPort = (error: unknown): boolean =>
  error instanceof Error &&
  (/^bad port$|^Fetch failed: Requests to port \d+ are blocked$/.test(error.message) ||
    isBlockedPort(error.cause))

interface SystemFailure {
  readonly code: string
  /** The system call that failed; absent for the client's own errors. */
  readonly syscall: string | undefined
}

/**
 * Whether no connection was established. The system reports the same codes for an established
 * connection that is lost later, so the system call decides. In doubt, the request may have been sent.
 */
const isBeforeSending = ({ code, syscall }: SystemFailure): boolean =>
  syscall === "connect" || syscall === "getaddrinfo" || beforeSending.has(code)

const beforeSending: ReadonlySet<string> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/** The system errors at the root of an error, with one for each address that was tried. */
const systemFailures = (cause: unknown, depth = 0): ReadonlyArray<SystemFailure> => {
  if (depth > 5 || !Predicate.isRecord(cause)) return []
  const { code, errors, syscall } = cause
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.flatMap((inner) => systemFailures(inner, depth + 1))
  }
  const inner = systemFailures(cause["cause"], depth + 1)
  if (inner.length > 0) return inner
  return typeof code === "string"
    ? [{ code, syscall: typeof syscall === "string" ? syscall : undefined }]
    : []
}
