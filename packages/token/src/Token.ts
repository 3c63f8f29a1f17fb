/**
 * Client-credentials tokens as a scoped service: one request however many callers, renewed ahead of
 * expiry while the old token still serves, gone with its scope (interface section 5.1).
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Environment from "@manilla/core/Environment"
import * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Supervisor from "effect/Supervisor"
import * as TokenApi from "./TokenApi.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The root of the account gateway with its version segment: `{auth_url}` of the interface.
   * https, unless it is this machine.
   */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /**
   * The environment that the credentials must be for. A token for another one is never used: no
   * call is made with it.
   */
  readonly environment?: typeof Environment.Input.Type | undefined
  /** Changes to `RetryPolicy.defaults`, for the request for a token. */
  readonly retry?: Partial<RetryPolicy.RetryPolicy> | undefined
  /** The most bytes of an answer that are read; 64 KiB unless set. */
  readonly bodyLimit?: number | undefined
}

/** A token takes a few kilobytes. */
const defaultBodyLimit = 64 * 1024

/** When the service does not say how long a token lives (interface section 8). */
const defaultLifeSeconds = 3600

/** Renewal begins when this part of a token's life is left, and 5 minutes before its end at most. */
const renewalPart = 0.1
const renewalMostMillis = Duration.toMillis("5 minutes")

/** A token that is refused sooner than this after it was issued points at a fault, not at a rotation. */
const youngMillis = Duration.toMillis("10 seconds")

/** The pauses between requests that fail one after the other: not a storm, and not a cached failure. */
const spacing = { ...RetryPolicy.defaults, base: "1 second", cap: "30 seconds" } as const

interface Held {
  readonly token: BearerTokens.BearerToken
  readonly issuedMillis: number
  readonly renewMillis: number
  readonly expiresMillis: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<
  BearerTokens.Service,
  Errors.ConfigurationError,
  HttpClient.HttpClient | Scope.Scope
> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    yield* checkNotEmpty("clientId", options.clientId)
    yield* checkNotEmpty("clientSecret", Redacted.value(options.clientSecret))
    const gateway = yield* Gateway.make({
      baseUrl: options.authUrl,
      retry: options.retry,
      bodyLimit: options.bodyLimit ?? defaultBodyLimit
    }).pipe(
      Effect.mapError(
        ({ field, rule }) =>
          new Errors.ConfigurationError({ field: field === "baseUrl" ? "authUrl" : field, rule })
      )
    )
    const { obtain } = gateway.calls(TokenApi.group)

    let current: Held | undefined
    let request:
      Deferred.Deferred<BearerTokens.BearerToken, Errors.TokenUnavailableError> | undefined
    let closed = false
    /** Requests that failed one after the other, when the last of them did, and why. */
    let failures = 0
    let failedMillis = 0
    let failed: Errors.TokenUnavailableError | undefined
    /** Until then no request is made, after those that failed. */
    let pausedUntilMillis = 0
    /** Tokens that were refused young one after the other. The first may be a rotation. */
    let youngRefusals = 0

    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => {
        closed = true
        current = undefined
      })
    )

    const fail = (error: Errors.TokenUnavailableError, nowMillis: number) => {
      failures++
      failedMillis = nowMillis
      failed = error
    }

    const ask: Effect.Effect<BearerTokens.BearerToken, Errors.TokenUnavailableError> = Effect.gen(
      function* () {
        const setbacks = failures + Math.max(0, youngRefusals - 1)
        if (setbacks > 0) {
          const pause = RetryPolicy.backoff(spacing, setbacks, yield* Random.next, undefined)
          const nowMillis = yield* Clock.currentTimeMillis
          // Never longer than the pause, even when the clock was set back meanwhile.
          const left = Math.min(pause, Math.max(0, failedMillis + pause - nowMillis))
          pausedUntilMillis = nowMillis + left
          yield* Effect.sleep(left)
        }
        // Taken before the request: a token is not used longer than it lives.
        const issuedMillis = yield* Clock.currentTimeMillis
        const issued = yield* Effect.mapError(
          obtain({
            payload: {
              client_id: options.clientId,
              client_secret: Redacted.value(options.clientSecret)
            }
          }),
          unavailable
        )
        const token: BearerTokens.BearerToken = {
          value: Redacted.make(issued.access_token),
          environment: issued.environment,
          scopes: scopesIn(issued.scope ?? "")
        }
        if (options.environment !== undefined && options.environment !== token.environment) {
          return yield* new Errors.TokenUnavailableError({
            operation,
            message: `The credentials are not for ${options.environment}, which is configured: no call was made. ${environmentIs(token.environment)}`
          })
        }
        const lifeMillis = (issued.expires_in ?? defaultLifeSeconds) * 1000
        const expiresMillis = issuedMillis + lifeMillis
        current = {
          token,
          issuedMillis,
          expiresMillis,
          renewMillis: expiresMillis - Math.min(lifeMillis * renewalPart, renewalMostMillis)
        }
        failures = 0
        failed = undefined
        return token
      }
    )

    /**
     * Begins a request in a fiber of its own, which neither a caller's interruption ends nor who
     * supervises that caller.
     */
    const begin = Effect.suspend(() => {
      // Another caller may have come first since this one looked.
      if (request !== undefined) return Effect.succeed(request)
      const own = Deferred.unsafeMake<BearerTokens.BearerToken, Errors.TokenUnavailableError>(
        FiberId.none
      )
      request = own
      return ask.pipe(
        Effect.interruptible,
        Effect.tapError((error) =>
          Effect.map(Clock.currentTimeMillis, (nowMillis) => fail(error, nowMillis))
        ),
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause) ? Effect.fail(closedError) : Effect.failCause(cause)
        ),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            request = undefined
            return Deferred.done(own, exit)
          })
        ),
        Effect.forkIn(scope),
        Effect.locally(FiberRef.currentSupervisor, Supervisor.none),
        Effect.as(own)
      )
    }).pipe(Effect.uninterruptible)

    const held = (nowMillis: number): BearerTokens.BearerToken | undefined =>
      current !== undefined && nowMillis < current.renewMillis ? current.token : undefined

    const get = Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      if (closed) return Effect.fail(closedError)
      if (current !== undefined && nowMillis < current.expiresMillis) {
        const { renewMillis, token } = current
        return nowMillis >= renewMillis && request === undefined
          ? Effect.as(begin, token)
          : Effect.succeed(token)
      }
      return request === undefined ? Effect.flatMap(begin, Deferred.await) : Deferred.await(request)
    })

    const reject = (token: BearerTokens.BearerToken) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        if (current?.token !== token) return
        const young = nowMillis - current.issuedMillis < youngMillis
        youngRefusals = young ? youngRefusals + 1 : 0
        if (youngRefusals > 1) failedMillis = nowMillis
        current = undefined
      })

    const lastFailure = (nowMillis: number): Errors.TokenUnavailableError | undefined =>
      failed === undefined || pausedUntilMillis <= nowMillis
        ? failed
        : new Errors.TokenUnavailableError({
            operation,
            cause: failed.cause,
            message: `${failed.message} The next token is asked for in ${pausedUntilMillis - nowMillis} ms: requests that fail are spaced out.`
          })

    return { held, get, reject, lastFailure }
  })

const operation = "Token.obtain"

const checkNotEmpty = (
  field: string,
  text: string
): Effect.Effect<void, Errors.ConfigurationError> =>
  text === "" ? new Errors.ConfigurationError({ field, rule: "must not be empty" }) : Effect.void

/** Errors of calls repeat the scopes: a string that has not the form of one may be a secret. */
const scopesIn = (text: string): ReadonlyArray<string> =>
  text.split(" ").filter((scope) => scope.length <= 100 && /^[a-z_]+(\.[a-z_]+)+$/.test(scope))

/** Any string may come for an environment: only the two that the interface shows are repeated. */
const environmentIs = (environment: string): string =>
  isKnownEnvironment(environment) ? `They are for ${environment}.` : ""

const isKnownEnvironment = Schema.is(Environment.Input)

const closedError = new Errors.TokenUnavailableError({
  operation,
  message: "The scope of the token layer is closed: no token is to be had any more."
})

const unavailable = (cause: Errors.ReadError): Errors.TokenUnavailableError =>
  cause._tag === "TokenUnavailableError"
    ? cause
    : new Errors.TokenUnavailableError({
        operation,
        message: `No token could be obtained, so this attempt was not sent. ${cause.message}`,
        cause
      })

/**
 * The tokens as a layer. Closing its scope ends a renewal under way and forgets the token.
 *
 * @example
 * import * as Token from "@manilla/token/Token"
 * import * as Redacted from "effect/Redacted"
 *
 * const tokens = Token.layer({
 *   authUrl: "https://accounts.example/api/v1",
 *   clientId: "app_42",
 *   clientSecret: Redacted.make("from your vault"),
 *   environment: "LIVE"
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<BearerTokens.BearerTokens, Errors.ConfigurationError, HttpClient.HttpClient> =>
  Layer.scoped(BearerTokens.BearerTokens, make(options))

/**
 * The options from `MANILLA_AUTH_URL`, `MANILLA_CLIENT_ID`, `MANILLA_CLIENT_SECRET` and, if it is
 * set, `MANILLA_ENVIRONMENT`.
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Options> = Config.all({
  authUrl: Gateway.rootUrl("MANILLA_AUTH_URL"),
  clientId: Config.nonEmptyString("MANILLA_CLIENT_ID"),
  clientSecret: Config.map(Config.nonEmptyString("MANILLA_CLIENT_SECRET"), Redacted.make<string>),
  environment: Schema.Config("MANILLA_ENVIRONMENT", Environment.Input).pipe(
    Config.option,
    Config.map(Option.getOrUndefined)
  )
})

/**
 * The tokens as a layer, with its options from the configuration.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Config.Wrap<Options> = config
): Layer.Layer<
  BearerTokens.BearerTokens,
  ConfigError.ConfigError | Errors.ConfigurationError,
  HttpClient.HttpClient
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
