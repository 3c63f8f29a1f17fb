/**
 * Bearer tokens from client credentials. All callers share one request; tokens
 * are renewed in the background before they expire, and dropped when the scope closes.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Environment from "@manilla/core/Environment"
import * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as State from "./internal/state.js"
import * as TokenApi from "./TokenApi.js"

/**
 * The credentials, and options of token requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The base URL of the account gateway with its version segment: `{auth_url}` of the interface. Must
   * be https, except on loopback.
   */
  readonly authUrl: string
  /** The public identifier of the application's credential. */
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** The expected environment. Tokens for another environment are rejected. */
  readonly environment?: typeof Environment.Input.Type | undefined
  /** Overrides `RetryPolicy.defaults` for token requests. */
  readonly retry?: Partial<RetryPolicy.RetryPolicy> | undefined
  /** The maximum size of a response body after decompression, in bytes; 64 KiB by default. */
  readonly bodyLimit?: number | undefined
}

/** A token response has a few kilobytes. */
const defaultBodyLimit = 64 * 1024

/** The lifetime of a token if the response does not state it. */
const defaultLifeSeconds = 3600

/** A caller that waits for the end of a pause looks this often for a token that another one obtained. */
const napMostMillis = 1000

/**
 * Makes a source of tokens from client credentials. Closing the scope stops a renewal in progress and
 * drops the token.
 *
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
    yield* checkText("clientId", options.clientId)
    yield* checkText("clientSecret", Redacted.value(options.clientSecret))
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
    // Held for synchronous reads: a token that is held costs a call no effect.
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()

    let state = State.initial
    let request:
      Deferred.Deferred<BearerTokens.BearerToken, Errors.TokenUnavailableError> | undefined

    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => {
        state = State.initial
      })
    )

    const ask = Effect.gen(function* () {
      const issuedMillis = now()
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
          message: `The credentials are not for the configured environment, ${options.environment}, so their token is not used. ${environmentIs(token.environment)}Correct the credentials or the option environment (MANILLA_ENVIRONMENT).`
        })
      }
      const lifeMillis = (issued.expires_in ?? defaultLifeSeconds) * 1000
      state = State.issued(state, token, issuedMillis, lifeMillis)
      return token
    })

    /** Starts a request in its own fiber, so that an interruption of the caller does not stop it. */
    const begin = Effect.suspend(() => {
      // Another caller may have started one.
      if (request !== undefined) return Effect.succeed(request)
      const result = Deferred.unsafeMake<BearerTokens.BearerToken, Errors.TokenUnavailableError>(
        FiberId.none
      )
      request = result
      return ask.pipe(
        Effect.interruptible,
        Effect.tapError((error) =>
          Effect.map(Random.next, (chance) => {
            state = State.failed(state, error, now(), chance)
          })
        ),
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause) ? Effect.fail(closedError) : Effect.failCause(cause)
        ),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            request = undefined
            return Deferred.done(result, exit)
          })
        ),
        Effect.forkIn(scope),
        Effect.as(result)
      )
    }).pipe(Effect.uninterruptible)

    const get: BearerTokens.Service["get"] = (limitMillis) => {
      const nowMillis = now()
      const { held } = state
      const pauseMillis = State.pauseMillis(state, nowMillis)
      if (held !== undefined && nowMillis < held.expiresMillis) {
        return nowMillis < held.renewMillis || pauseMillis > 0 || request !== undefined
          ? Effect.succeed(held.token)
          : Effect.as(begin, held.token)
      }
      // Another caller, which cannot wait for the end of the pause, may obtain a token before it.
      if (pauseMillis > 0 && pauseMillis < limitMillis) {
        const napMillis = Math.min(pauseMillis, napMostMillis)
        return Effect.flatMap(clock.sleep(Duration.millis(napMillis)), () =>
          get(nowMillis + limitMillis - now())
        )
      }
      const shortMillis = State.shortPauseMillis(state, nowMillis)
      return request === undefined && shortMillis > 0
        ? Effect.fail(tooEarly(state, shortMillis))
        : Effect.flatMap(begin, Deferred.await)
    }

    const reject = (token: BearerTokens.BearerToken) =>
      Effect.map(Random.next, (chance) => {
        state = State.rejected(state, token, now(), chance)
      })

    return { origin: new URL(options.authUrl).origin, get, reject }
  })

const operation = "Token.obtain"

/** JavaScript may pass a variable of the environment that is not set. */
const checkText = (field: string, text: unknown): Effect.Effect<void, Errors.ConfigurationError> =>
  typeof text === "string" && text !== ""
    ? Effect.void
    : new Errors.ConfigurationError({ field, rule: "must be text that is not empty" })

/** Errors contain the scopes: a string in another format may be a secret. */
const scopesIn = (text: string): ReadonlyArray<string> =>
  text.split(" ").filter((scope) => /^[a-z_]+(\.[a-z_]+)+$/.test(scope))

/** Errors contain known environments only: another string may be a secret. */
const environmentIs = (environment: string): string =>
  isKnownEnvironment(environment) ? `They are for ${environment}. ` : ""

const isKnownEnvironment = Schema.is(Environment.Input)

const closedError = new Errors.TokenUnavailableError({
  operation,
  message: "The token layer is closed, so no token can be obtained."
})

/** The error of a call that can neither wait for the next token request nor make one. */
const tooEarly = (
  { failure, rejections }: State.State,
  afterMillis: number
): Errors.TokenUnavailableError =>
  new Errors.TokenUnavailableError({
    operation,
    message:
      `${failure?.message ?? `The service rejected the last ${rejections} tokens soon after they were issued.`} ` +
      `The next token request is due in ${afterMillis} ms.`,
    ...(failure?.cause === undefined ? {} : { cause: failure.cause })
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
 * A layer that provides `BearerTokens` from client credentials.
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
 * Reads the options from `MANILLA_AUTH_URL`, `MANILLA_CLIENT_ID`, `MANILLA_CLIENT_SECRET` and the
 * optional `MANILLA_ENVIRONMENT`.
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Options> = Config.all({
  authUrl: Gateway.rootUrl("MANILLA_AUTH_URL"),
  clientId: Config.nonEmptyString("MANILLA_CLIENT_ID"),
  clientSecret: Config.map(Config.nonEmptyString("MANILLA_CLIENT_SECRET"), Redacted.make<string>),
  environment: Config.string("MANILLA_ENVIRONMENT").pipe(
    Config.mapOrFail((text) =>
      isKnownEnvironment(text)
        ? Either.right(text)
        : Either.left(
            ConfigError.InvalidData(
              [],
              `must be SANDBOX or LIVE${text === "" ? ": it is empty" : ""}`
            )
          )
    ),
    Config.option,
    Config.map(Option.getOrUndefined)
  )
})

/**
 * A layer that provides `BearerTokens`, with options from the configuration.
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
