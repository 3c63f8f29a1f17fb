/**
 * The transport between the gateway and the network. It sends a request once and returns one of four
 * results; it never fails.
 */
import type * as Effect from "effect/Effect"
import { explain } from "../../NetworkFailure.js"
import type { NetworkFailure } from "../../NetworkFailure.js"
import { rootsOf } from "./networkRoots.js"
import { between, isBefore } from "./networkRules.js"

/** One request. */
export interface HttpRequest {
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
export interface NotSent extends NetworkFailure {
  readonly _tag: "NotSent"
}

/** The connection was lost after the request may have been sent. */
export interface Lost extends NetworkFailure {
  readonly _tag: "Lost"
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
  readonly send: (request: HttpRequest) => Effect.Effect<Result>
}

/** A client that died may have sent the request. */
export const died = (error: unknown): Lost => ({ ...lost(error), code: "CLIENT_DIED" })

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
  const roots = rootsOf(error)
  return roots.length > 0 && roots.every(isBefore) ? notSent(error) : lost(error)
}

export const notSent = (error: unknown): NotSent => {
  const { code, reason, remedy } = explain(error)
  // The reset of a connection in use needs no more words.
  return reason === undefined
    ? { _tag: "NotSent", code, reason: closedEarly, remedy: between }
    : { _tag: "NotSent", code, reason, remedy }
}

const closedEarly = "the connection was closed before it was ready"

export const lost = (error: unknown): Lost => ({ _tag: "Lost", ...explain(error) })
