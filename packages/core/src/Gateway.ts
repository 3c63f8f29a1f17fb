/**
 * The one door to the service: turns declared operations into calls that validate, authenticate,
 * retry by the truth table of `RetryPolicy`, and tell the three ends of a write apart.
 *
 * Any `HttpClient` of `@effect/platform` will do that neither retries nor follows redirects by itself:
 * a client that does sends money where the gateway cannot count it. Bodies are read up to a limit.
 * Prefer `NodeHttpClient.layerUndici`: fetch, by its own standard, sends a request again by itself
 * when it is answered 421, and of a `FetchHttpClient.RequestInit` only what is in the context of a
 * call is used.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Types from "effect/Types"
import * as BearerTokens from "./BearerTokens.js"
import { InvalidConfiguration } from "./Errors.js"
import * as call from "./internal/call.js"
import { withDefaults } from "./internal/defaults.js"
import * as durations from "./internal/durations.js"
import * as request from "./internal/request.js"
import * as retryBudget from "./internal/retryBudget.js"
import * as root from "./internal/rootUrl.js"
import * as transport from "./internal/transport.js"
import * as Operation from "./Operation.js"
import * as RetryPolicy from "./RetryPolicy.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The root of the gateway with its version segment: `{base_url}` of the interface. https, unless
   * it is this machine.
   */
  readonly baseUrl: string
  /** Changes to {@link RetryPolicy.defaults}. */
  readonly retry?: Partial<RetryPolicy.RetryPolicy> | undefined
  /**
   * The query parameter that selects a page of a list. The interface does not show it: name it here
   * to read lists beyond their first page.
   */
  readonly pageParameter?: string | undefined
  /** The most bytes of a body that are read, after decompression; 8 MiB unless set. */
  readonly bodyLimit?: number | undefined
}

/**
 * What the gateway needs of an `HttpApiGroup`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Group<out Endpoint> {
  readonly identifier: string
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

/**
 * The calls of a group, by the names of its endpoints.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Calls<Endpoints extends HttpApiEndpoint.HttpApiEndpoint.Any> = Types.Simplify<{
  readonly [Endpoint in Endpoints as Endpoint["name"]]: Operation.Call<Endpoint>
}>

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The query parameter that selects a page, if the options name it. */
  readonly pageParameter: string | undefined
  /**
   * Compiles the operations of a group into calls, once. An operation is named by its group and
   * its endpoint: `Payments.create`.
   */
  readonly calls: <
    Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any & Operation.Declared<Operation.Replay>
  >(
    group: Group<Endpoint>
  ) => Calls<Endpoint>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Gateway extends Context.Tag("@manilla/core/Gateway")<Gateway, Service>() {}

/** Whole numbers that are not below the least: a limit of `NaN` would be none. */
const checkNumbers = (
  numbers: Readonly<Record<string, number>>,
  least: number
): Effect.Effect<void, InvalidConfiguration> =>
  Effect.forEach(
    Object.entries(numbers),
    ([field, number]) =>
      Number.isSafeInteger(number) && number >= least
        ? Effect.void
        : new InvalidConfiguration({ field, rule: `must be a whole number from ${least}` }),
    { discard: true }
  )

const checkDurations = (
  fields: Readonly<Record<string, Duration.DurationInput>>,
  leastMillis: number
): Effect.Effect<void, InvalidConfiguration> =>
  Effect.forEach(
    Object.entries(fields),
    ([field, duration]) =>
      Option.match(durations.millisOf(duration), {
        onNone: () => new InvalidConfiguration({ field, rule: durations.rule }),
        onSome: (millis) =>
          millis >= leastMillis
            ? Effect.void
            : new InvalidConfiguration({
                field,
                rule: `must be at least ${leastMillis} millisecond`
              })
      }),
    { discard: true }
  )

const defaultBodyLimit = 8 * 1024 * 1024

/**
 * A gateway that takes its bearer tokens from `tokens`, or that serves only operations that need
 * none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options,
  tokens?: BearerTokens.Service
): Effect.Effect<Service, InvalidConfiguration, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const baseUrl = yield* root.parse("baseUrl", options.baseUrl)
    const policy = withDefaults(RetryPolicy.defaults, options.retry)
    const bodyLimit = options.bodyLimit ?? defaultBodyLimit
    yield* checkNumbers({ bodyLimit, "retry.attempts": policy.attempts }, 1)
    yield* checkNumbers({ "retry.budget": policy.budget }, 0)
    yield* checkDurations({ "retry.base": policy.base, "retry.cap": policy.cap }, 0)
    // Without any time a call would spin, and never be made.
    yield* checkDurations(
      { "retry.attemptTimeout": policy.attemptTimeout, "retry.deadline": policy.deadline },
      1
    )
    const exchange = transport.make(yield* HttpClient.HttpClient, bodyLimit)
    const budget = retryBudget.make(policy.budget)

    const compile = (name: string, operation: Operation.Operation) => {
      const encode = request.compile(name, operation)
      const run = call.compile({ name, operation, policy, budget, exchange, tokens, baseUrl })
      return (parts: request.Parts) => Effect.suspend(() => Effect.flatMap(encode(parts), run))
    }

    const calls: Service["calls"] = (group) => {
      const compiled: Record<string, unknown> = {}
      for (const endpoint of Object.values(group.endpoints)) {
        if (Operation.isOperation(endpoint)) {
          compiled[endpoint.name] = compile(`${group.identifier}.${endpoint.name}`, endpoint)
        }
      }
      // Each entry was made from the endpoint of that name, which `Calls` types it by.
      return compiled as never
    }
    return { calls, pageParameter: options.pageParameter }
  })

/**
 * The gateway as a layer, with its tokens from `BearerTokens`.
 *
 * @example
 * import { NodeHttpClient } from "@effect/platform-node"
 * import * as Gateway from "@manilla/core/Gateway"
 * import * as Token from "@manilla/token/Token"
 * import * as Layer from "effect/Layer"
 *
 * const live = Gateway.layerConfig().pipe(
 *   Layer.provide(Token.layerConfig()),
 *   Layer.provide(NodeHttpClient.layerUndici)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<Gateway, InvalidConfiguration, BearerTokens.BearerTokens | HttpClient.HttpClient> =>
  Layer.effect(
    Gateway,
    Effect.flatMap(BearerTokens.BearerTokens, (tokens) => make(options, tokens))
  )

/**
 * The root of a gateway from the configuration: https, unless it is this machine.
 *
 * @since 0.1.0
 * @category config
 */
export const rootUrl: (name: string) => Config.Config<string> = root.config

/**
 * The gateway's options from `MANILLA_BASE_URL` and, if it is set, `MANILLA_PAGE_PARAMETER`.
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Options> = Config.all({
  baseUrl: rootUrl("MANILLA_BASE_URL"),
  pageParameter: Config.nonEmptyString("MANILLA_PAGE_PARAMETER").pipe(
    Config.option,
    Config.map(Option.getOrUndefined)
  )
})

/**
 * The gateway as a layer, with its options from the configuration.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Config.Wrap<Options> = config
): Layer.Layer<
  Gateway,
  ConfigError.ConfigError | InvalidConfiguration,
  BearerTokens.BearerTokens | HttpClient.HttpClient
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
