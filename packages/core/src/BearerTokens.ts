/**
 * The source of the gateway's bearer tokens. `@manilla/token` implements it; applications may provide
 * their own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Environment } from "./Environment.js"
import type { TokenUnavailableError } from "./Errors.js"

/**
 * A bearer token with its environment and scopes (interface section 5.1).
 *
 * @since 0.1.0
 * @category models
 */
export interface BearerToken {
  readonly value: Redacted.Redacted
  readonly environment: Environment
  readonly scopes: ReadonlyArray<string>
}

/**
 * The methods of the `BearerTokens` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Scheme, host and port of the service that issues the tokens, for error messages. */
  readonly origin?: string
  /**
   * Returns a token that the source already has and that is valid at this time (milliseconds since the
   * Unix epoch). If it returns `undefined`, the call runs {@link Service.get}.
   */
  readonly held?: (nowMillis: number) => BearerToken | undefined
  /** Returns a valid token, and obtains one if necessary. */
  readonly get: Effect.Effect<BearerToken, TokenUnavailableError>
  /**
   * Reports that the service rejected this token with 401. Only the current token is discarded, so many
   * concurrent rejections cause one renewal.
   */
  readonly reject: (token: BearerToken) => Effect.Effect<void>
  /** Returns the error of the last failed token request, for calls whose wait for a token timed out. */
  readonly lastFailure?: (nowMillis: number) => TokenUnavailableError | undefined
}

/**
 * The service that provides bearer tokens.
 *
 * @since 0.1.0
 * @category services
 */
export class BearerTokens extends Context.Tag("@manilla/core/BearerTokens")<
  BearerTokens,
  Service
>() {}
