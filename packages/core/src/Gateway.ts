/**
 * Compiles declared operations into calls that validate, authenticate, retry by the rules of
 * `RetryPolicy`, and report the outcome of writes.
 *
 * Works with any `HttpClient` of `@effect/platform`. `UndiciClient.layer` is the fastest on Node. With
 * `FetchClient.layer`, the gateway turns redirects off; `fetch` retries after a 421 response, as its
 * standard requires. A client of your own must not retry or follow redirects; otherwise a payment may be
 * sent twice.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as BearerTokens from "./BearerTokens.js"
import { ConfigurationError } from "./Errors.js"
import * as call from "./internal/call/call.js"
import { fromHttpClient } from "./internal/transport/httpClient.js"
import * as policies from "./internal/call/policy.js"
import * as request from "./internal/body/request.js"
import * as retryBudget from "./internal/call/retryBudget.js"
import * as rootUrls from "./internal/transport/rootUrl.js"
import * as Issues from "./Issues.js"
import type * as Operation from "./Operation.js"
import * as RetryPolicy from "./RetryPolicy.js"

/**
 * Options of a gateway.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The base URL of the service with its version segment: `{base_url}` of the interface. Must be https,
   * except on loopback.
   */
  readonly baseUrl: string
  /** Overrides {@link RetryPolicy.defaults}. */
  readonly retry?: Partial<RetryPolicy.RetryPolicy> | undefined
  /**
   * The query parameter that selects a page, required to read lists beyond the first page. The
   * interface does not state its name.
   */
  readonly pageParameter?: string | undefined
  /** The maximum size of a response body after decompression, in bytes; 8 MiB by default. */
  readonly bodyLimit?: number | undefined
}

/**
 * The calls of a group, by the names of its operations.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Calls<G extends Operation.Group> = {
  readonly [Name in keyof G["operations"]]: Operation.Call<G["operations"][Name]>
}

/**
 * The methods of the `Gateway` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** `pageParameter` of the options. */
  readonly pageParameter: string | undefined
  /** Compiles the operations of a group into calls. Compile once and reuse the calls. */
  readonly calls: <G extends Operation.Group>(group: G) => Calls<G>
}

/**
 * The client of the service, which makes calls from declared operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Gateway extends Context.Tag("@manilla/core/Gateway")<Gateway, Service>() {}

const defaultBodyLimit = 8 * 1024 * 1024

/**
 * Makes a gateway that uses bearer tokens from `tokens`. Without `tokens`, it can only call operations
 * that need none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options,
  tokens?: BearerTokens.Service
): Effect.Effect<Service, ConfigurationError, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const root = yield* rootUrls.parse("baseUrl", options.baseUrl)
    const policy = policies.withDefaults(RetryPolicy.defaults, options.retry)
    const bodyLimit = options.bodyLimit ?? defaultBodyLimit
    const [issue] = [
      ...policies.wholeNumber("bodyLimit", bodyLimit, 1),
      ...policies.issuesOf(policy)
    ]
    if (issue !== undefined) return yield* new ConfigurationError(issue)
    const transport = fromHttpClient(yield* HttpClient.HttpClient)
    // Separate budgets, so that reads do not use up the retries of writes.
    const budgets = {
      reads: retryBudget.make(policy.budget),
      writes: retryBudget.make(policy.budget)
    }

    const makeCall = (name: string, operation: Operation.Operation) => {
      const { replay } = operation
      const encode = request.makeEncoder(name, operation)
      const budget = replay._tag === "Safe" ? budgets.reads : budgets.writes
      const perform = call.make({ name, operation, root, transport, tokens, bodyLimit, budget })
      const rules = policies.rulesOf(policy, replay)
      const rulesFor = (options: Operation.CallOptions) => {
        const { retry, timeout } = options
        if (retry === undefined && timeout === undefined) return Either.right(rules)
        const changed = policies.ofCall(policy, options)
        const issues = policies.issuesOf(changed, "timeout")
        return issues.length === 0
          ? Either.right(policies.rulesOf(changed, replay))
          : Either.left(Issues.invalidRequest(name, issues))
      }
      return (parts: request.Parts, options?: Operation.CallOptions) =>
        Effect.suspend(() => {
          const encoded = encode(parts)
          if (Either.isLeft(encoded)) return Effect.fail(encoded.left)
          const rules = rulesFor(options ?? {})
          if (Either.isLeft(rules)) return Effect.fail(rules.left)
          return perform(encoded.right, rules.right, options?.onResponse)
        })
    }

    const calls: Service["calls"] = (group) =>
      // `Calls` maps each name to the call of that operation, which TypeScript cannot infer here.
      Record.map(group.operations, (operation, name) =>
        makeCall(`${group.name}.${name}`, operation)
      ) as never
    return { calls, pageParameter: options.pageParameter }
  })

/**
 * A layer that provides the gateway, with tokens from `BearerTokens`.
 *
 * @example
 * import * as Gateway from "@manilla/core/Gateway"
 * import * as UndiciClient from "@manilla/core/UndiciClient"
 * import * as Token from "@manilla/token/Token"
 * import * as Layer from "effect/Layer"
 *
 * const live = Gateway.layerConfig().pipe(
 *   Layer.provide(Token.layerConfig()),
 *   Layer.provide(UndiciClient.layer)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<Gateway, ConfigurationError, BearerTokens.BearerTokens | HttpClient.HttpClient> =>
  Layer.effect(
    Gateway,
    Effect.flatMap(BearerTokens.BearerTokens, (tokens) => make(options, tokens))
  )

/**
 * Makes a config for a base URL, which must be https, except on loopback.
 *
 * @since 0.1.0
 * @category config
 */
export const rootUrl: (name: string) => Config.Config<string> = rootUrls.config

/**
 * Reads the gateway's options from `MANILLA_BASE_URL` and the optional `MANILLA_PAGE_PARAMETER`.
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Options> = /* @__PURE__ */ Config.suspend(() =>
  Config.all({
    baseUrl: rootUrl("MANILLA_BASE_URL"),
    pageParameter: Config.nonEmptyString("MANILLA_PAGE_PARAMETER").pipe(
      Config.option,
      Config.map(Option.getOrUndefined)
    )
  })
)

/**
 * A layer that provides the gateway, with options from the configuration. It fails with a `ConfigError`
 * that lists all missing settings.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Config.Wrap<Options> = config
): Layer.Layer<
  Gateway,
  ConfigError.ConfigError | ConfigurationError,
  BearerTokens.BearerTokens | HttpClient.HttpClient
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
