/**
 * Obtains the token of an attempt from its source, within the deadline of the call. If the source dies,
 * is interrupted or does not return in time, the attempt fails and nothing is sent.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as BearerTokens from "../BearerTokens.js"
import * as Errors from "../Errors.js"
import { failure, type Failure } from "./response.js"
import * as sanitize from "./sanitize.js"
import * as messages from "./messages.js"

export interface Bearer {
  readonly _tag: "Bearer"
  readonly token: BearerTokens.BearerToken
  /** The value of the `authorization` header. */
  readonly authorization: string
  /** The token's text, to redact it. */
  readonly secret: sanitize.Secret
}

interface Times {
  readonly now: () => number
  /** The time left in which the attempt may start. */
  readonly leftMillis: () => number
}

export interface Source {
  /** A token that needs no waiting. */
  readonly held: (nowMillis: number) => Bearer | Failure | undefined
  readonly obtain: (call: Times) => Effect.Effect<Bearer | Failure>
  /** Reports a rejected token. Ignores failures: the next attempt uses the same source. */
  readonly reject: (bearer: Bearer, limitMillis: number) => Effect.Effect<void>
}

export const make = (name: string, tokens: BearerTokens.Service | undefined): Source => {
  if (tokens === undefined) {
    const none = noToken(
      name,
      "it needs a bearer token, but this gateway was made without tokens; make it with Gateway.layer, or pass tokens to Gateway.make"
    )
    return { held: () => none, obtain: () => Effect.succeed(none), reject: () => Effect.void }
  }
  const died = noToken(name, "the token source died or was interrupted")
  const toBearer = (token: BearerTokens.BearerToken): Bearer | Failure =>
    bearerOf(token) ?? noToken(name, "the token contains characters that a header must not contain")
  return {
    held: (nowMillis) => {
      try {
        const token = tokens.held?.(nowMillis)
        return token === undefined ? undefined : toBearer(token)
      } catch {
        return died
      }
    },
    obtain: (call) => {
      const limitMillis = call.leftMillis()
      return Effect.suspend(() => tokens.get).pipe(
        // For the time limit, in an uninterruptible caller.
        Effect.interruptible,
        Effect.timeoutOption(limitMillis),
        Effect.map((token) =>
          Option.isSome(token) && call.leftMillis() > 0
            ? toBearer(token.value)
            : tooLate(name, tokens.origin, limitMillis, tokens.lastFailure?.(call.now()))
        ),
        Effect.catchTag("TokenUnavailableError", (error) => Effect.succeed(unavailable(error))),
        Effect.catchAllCause(() => Effect.succeed(died))
      )
    },
    reject: ({ token }, limitMillis) =>
      Effect.suspend(() => tokens.reject(token)).pipe(
        Effect.interruptible,
        Effect.timeoutOption(Math.max(0, limitMillis)),
        Effect.catchAllCause(() => Effect.void)
      )
  }
}

/** Caches the header, because many calls use the same token. */
const bearers = new WeakMap<BearerTokens.BearerToken, Bearer>()

const bearerOf = (token: BearerTokens.BearerToken): Bearer | undefined => {
  const known = bearers.get(token)
  if (known !== undefined) return known
  const text = Redacted.value(token.value)
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined
  const authorization = `Bearer ${text}`
  const bearer: Bearer = { _tag: "Bearer", token, authorization, secret: sanitize.secret(text) }
  bearers.set(token, bearer)
  return bearer
}

/** The result of an attempt whose token source failed. Its error is passed on unchanged. */
const unavailable = (error: Errors.TokenUnavailableError): Failure =>
  failure(() => error, "TokenUnavailableError")

/** The result of an attempt without a token for any other reason. */
const noToken = (operation: string, why: string, cause?: Errors.RequestError): Failure =>
  failure((addition) => {
    const message = messages.noToken(operation, why, addition)
    return new Errors.TokenUnavailableError({
      operation,
      message,
      ...(cause === undefined ? {} : { cause })
    })
  }, "TokenUnavailableError")

/** The result of an attempt that timed out waiting for a token, with the source's last failure. */
const tooLate = (
  operation: string,
  origin: string | undefined,
  afterMillis: number,
  last: Errors.TokenUnavailableError | undefined
): Failure => {
  const from = origin === undefined ? "" : ` from ${origin}`
  const late = `no token was obtained${from} within ${afterMillis} ms`
  const message = `${operation}: ${late}.`
  return last === undefined
    ? noToken(operation, late, new Errors.TimeoutError({ operation, message, afterMillis }))
    : noToken(operation, `${late}. ${last.message}`, last.cause)
}
