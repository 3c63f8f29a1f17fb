/**
 * Obtains the token of an attempt from its source, within the deadline of the call. If the source dies,
 * is interrupted or does not return in time, the attempt fails and nothing is sent.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as BearerTokens from "../../BearerTokens.js"
import * as Errors from "../../Errors.js"
import { failure, type Failure } from "../body/reading.js"
import { clockOf, within } from "../wait/fiber.js"
import * as sanitize from "../text/sanitize.js"
import * as messages from "../text/messages.js"

export interface Bearer {
  readonly _tag: "Bearer"
  readonly token: BearerTokens.BearerToken
  /** The value of the `authorization` header. */
  readonly authorization: string
  /** The token's text, to redact it. */
  readonly secret: sanitize.Secret
}

export interface Source {
  /** Obtains a token within this time. */
  readonly obtain: (limitMillis: number) => Effect.Effect<Bearer | Failure>
  /** Reports a rejected token. Ignores failures: the next attempt uses the same source. */
  readonly reject: (bearer: Bearer, limitMillis: number) => Effect.Effect<void>
}

export const make = (name: string, tokens: BearerTokens.Service | undefined): Source => {
  if (tokens === undefined) {
    const none = noToken(
      name,
      "this gateway was made without tokens: make it with Gateway.layer, or pass tokens to Gateway.make"
    )
    return { obtain: () => Effect.succeed(none), reject: () => Effect.void }
  }
  const died = noToken(name, "the token source died or was interrupted")
  /** Shared by calls, even if the source makes a new `Redacted` of the same text for each call. */
  let last: Bearer | undefined
  const toBearer = (token: BearerTokens.BearerToken): Bearer | Failure => {
    if (last?.token === token) return last
    try {
      const text = Redacted.value(token.value)
      const authorization = `Bearer ${text}`
      if (last?.authorization === authorization) return (last = { ...last, token })
      return /^[\x21-\x7e]+$/.test(text)
        ? (last = { _tag: "Bearer", token, authorization, secret: sanitize.secret(text) })
        : noToken(name, "the token contains characters that a header must not contain")
    } catch {
      // The source has wiped it.
      return died
    }
  }
  return {
    obtain: (limitMillis) =>
      Effect.withFiberRuntime((fiber) => {
        const clock = clockOf(fiber)
        const deadlineMillis = clock.unsafeCurrentTimeMillis() + limitMillis
        const read = (exit: Obtained | undefined): Bearer | Failure => {
          // The clock is read again: the source may have blocked the thread, or the machine slept.
          const isLate = clock.unsafeCurrentTimeMillis() >= deadlineMillis
          if (exit === undefined || (isLate && Exit.isSuccess(exit))) {
            return tooLate(name, tokens.origin, limitMillis)
          }
          if (Exit.isSuccess(exit)) return toBearer(exit.value)
          const error = Cause.failureOption(exit.cause)
          return Option.isSome(error) ? unavailable(error.value) : died
        }
        try {
          const get = tokens.get(limitMillis)
          // `Effect.succeed` is an exit already.
          return isExit(get)
            ? Effect.succeed(read(get))
            : Effect.map(within(limitMillis, get), read)
        } catch {
          return Effect.succeed(died)
        }
      }),
    reject: ({ token }, limitMillis) =>
      Effect.asVoid(
        within(
          limitMillis,
          Effect.suspend(() => tokens.reject(token))
        )
      )
  }
}

type Obtained = Exit.Exit<BearerTokens.BearerToken, Errors.TokenUnavailableError>

const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** The result of an attempt whose token source failed. Its error is made anew, to have no stack trace. */
const unavailable = ({ cause, message, operation }: Errors.TokenUnavailableError): Failure =>
  failure(
    () => new Errors.TokenUnavailableError({ operation, message, cause }),
    "TokenUnavailableError"
  )

/** The result of an attempt without a token for any other reason. */
const noToken = (operation: string, why: string, cause?: Errors.RequestError): Failure =>
  failure((addition) => {
    const message = messages.notSent(operation, why, addition)
    return new Errors.TokenUnavailableError({
      operation,
      message,
      ...(cause === undefined ? {} : { cause })
    })
  }, "TokenUnavailableError")

/** The result of an attempt that timed out waiting for a token. */
const tooLate = (operation: string, origin: string | undefined, afterMillis: number): Failure => {
  const from = origin === undefined ? "" : ` from ${origin}`
  const late = `no token was obtained${from} within ${afterMillis} ms`
  const message = `${operation}: ${late}.`
  return noToken(operation, late, new Errors.TimeoutError({ operation, message, afterMillis }))
}
