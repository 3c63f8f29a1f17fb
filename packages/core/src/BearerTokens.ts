/**
 * Where the gateway gets its bearer tokens. `@manilla/token` provides it; a test or a caller with
 * tokens of its own may provide another.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Environment } from "./Environment.js"
import type { TokenUnavailableError } from "./Errors.js"

/**
 * A token, what it may be used for and where (interface section 5.1).
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
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * A token that can be used at this moment of the clock without waiting. Without one a call asks
   * {@link Service.get}.
   */
  readonly held?: (nowMillis: number) => BearerToken | undefined
  /** A token that has not expired. */
  readonly get: Effect.Effect<BearerToken, TokenUnavailableError>
  /**
   * Says that the service answered 401 to this token. Only the token that is current is dropped,
   * so a thousand calls that were refused together cause one renewal.
   */
  readonly reject: (token: BearerToken) => Effect.Effect<void>
  /** Why there was no token the last time, for the error of a call that waited for one in vain. */
  readonly lastFailure?: (nowMillis: number) => TokenUnavailableError | undefined
}

/**
 * @since 0.1.0
 * @category services
 */
export class BearerTokens extends Context.Tag("@manilla/core/BearerTokens")<
  BearerTokens,
  Service
>() {}
