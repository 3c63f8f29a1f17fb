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
 * A bearer token with its environment and scopes.
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
   * Returns a valid token, and obtains one if necessary. The caller waits at most `limitMillis`: if no
   * token can be obtained in this time, fail immediately, with the reason. Run the effect immediately
   * too: it may be `Effect.succeed` of a token that is valid now, which costs the least.
   */
  readonly get: (limitMillis: number) => Effect.Effect<BearerToken, TokenUnavailableError>
  /**
   * Reports that the service rejected this token with 401. Only the current token is discarded, so many
   * concurrent rejections cause one renewal.
   */
  readonly reject: (token: BearerToken) => Effect.Effect<void>
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
