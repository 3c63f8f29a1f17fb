/**
 * Turns declared operations into calls that validate, authenticate, retry by the truth table of
 * `RetryPolicy`, and tell the three outcomes of a write apart.
 *
 * It runs over any `HttpClient` of `@effect/platform`. Use one that does not retry or follow redirects;
 * otherwise a payment may be sent twice. On Node prefer `UndiciClient.layer`, which is the fastest.
 * Fetch, by its own standard, sends a request again when it is answered 421.
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
import type { InvalidRequestError } from "./Errors.js"
import * as call from "./internal/call.js"
import { withDefaults } from "./internal/defaults.js"
import * as policies from "./internal/policy.js"
import * as request from "./internal/request.js"
import * as retryBudget from "./internal/retryBudget.js"
import * as rootUrls from "./internal/rootUrl.js"
import * as step from "./internal/step.js"
import type * as Operation from "./Operation.js"
import * as RetryPolicy from "./RetryPolicy.js"
import * as Transport from "./Transport.js"

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
 * The calls of a group, by the names of its operations.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Calls<G extends Operation.Group> = {
  readonly [Name in keyof G["operations"]]: Operation.Call<G["operations"][Name]>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The query parameter that selects a page, if the options name it. */
  readonly pageParameter: string | undefined
  /**
   * Compiles the operations of a group into calls, once. An operation is named by its group and
   * itself: `Payments.create`.
   */
  readonly calls: <G extends Operation.Group>(group: G) => Calls<G>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Gateway extends Context.Tag("@manilla/core/Gateway")<Gateway, Service>() {}

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
): Effect.Effect<Service, ConfigurationError, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const root = yield* rootUrls.parse("baseUrl", options.baseUrl)
    const policy = withDefaults(RetryPolicy.defaults, options.retry)
    const bodyLimit = options.bodyLimit ?? defaultBodyLimit
    const [issue] = [
      ...policies.wholeNumber("bodyLimit", bodyLimit, 1),
      ...policies.issuesOf(policy)
    ]
    if (issue !== undefined) return yield* new ConfigurationError(issue)
    const transport = Transport.fromHttpClient(yield* HttpClient.HttpClient)
    // Apart, so that reads never take the retries of writes.
    const budgets = {
      reads: retryBudget.make(policy.budget),
      writes: retryBudget.make(policy.budget)
    }

    const compile = (name: string, operation: Operation.Operation) => {
      const { replay } = operation
      const encode = request.compile(name, operation)
      const run = call.compile({
        name,
        operation,
        budget: replay._tag === "Safe" ? budgets.reads : budgets.writes,
        transport,
        tokens,
        root,
        bodyLimit
      })
      const rules = step.rulesOf(policy, replay)
      const rulesFor = (
        options: Operation.CallOptions
      ): Either.Either<step.Rules, InvalidRequestError> => {
        if (options.retry === undefined && options.timeout === undefined) return Either.right(rules)
        const changed = policies.ofCall(policy, options)
        const issues = policies.issuesOf(changed, "timeout")
        return issues.length === 0
          ? Either.right(step.rulesOf(changed, replay))
          : Either.left(request.invalid(name, issues))
      }
      return (parts: request.Parts, options?: Operation.CallHooks | null) =>
        Effect.suspend(() => {
          const hooks = options ?? {}
          const encoded = encode(parts)
          if (Either.isLeft(encoded)) return Effect.fail(encoded.left)
          const rules = rulesFor(hooks)
          if (Either.isLeft(rules)) return Effect.fail(rules.left)
          return run(encoded.right, rules.right, hooks)
        })
    }

    const calls: Service["calls"] = (group) =>
      // Each entry is made from the operation of that name, which `Calls` types it by.
      Record.map(group.operations, (operation, name) =>
        compile(`${group.name}.${name}`, operation)
      ) as never
    return { calls, pageParameter: options.pageParameter }
  })

/**
 * The gateway as a layer, with its tokens from `BearerTokens`.
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
 * The root of a gateway from the configuration: https, unless it is this machine.
 *
 * @since 0.1.0
 * @category config
 */
export const rootUrl: (name: string) => Config.Config<string> = rootUrls.config

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
  ConfigError.ConfigError | ConfigurationError,
  BearerTokens.BearerTokens | HttpClient.HttpClient
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
