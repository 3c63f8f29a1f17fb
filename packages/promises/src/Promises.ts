/**
 * Every call of Manilla as a promise, for programs that do not use Effect. Derived from the services: each
 * method takes the same arguments, and an `AbortSignal` in its options.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Errors from "@manilla/core/Errors"
import * as FetchClient from "@manilla/core/FetchClient"
import type * as Gateway from "@manilla/core/Gateway"
import * as Manilla from "@manilla/token/Manilla"
import type * as Token from "@manilla/token/Token"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import * as Clients from "./Clients.js"

/**
 * The result of a call: its value, or one of the errors of exactly that call.
 *
 * @since 0.1.0
 * @category models
 */
export type Result<A, E> =
  { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/**
 * An option of every call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Abortable {
  /**
   * Aborting it interrupts the call and closes its connection; the promise rejects with the signal's
   * `reason`. The outcome of a write is then unknown: the same request with the same key continues it.
   */
  readonly signal?: AbortSignal | undefined
}

/** Adds `signal` to the last argument, the options. */
type WithSignal<Args extends ReadonlyArray<unknown>> =
  Required<Args> extends readonly [...infer Before, unknown]
    ? { [I in keyof Args]: I extends `${Before["length"]}` ? Args[I] & Abortable : Args[I] }
    : never

/**
 * The methods of a service as functions that return promises, or an iterable for `for await`.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Calls<Service> = {
  readonly [Name in keyof Service]: Service[Name] extends (...args: infer Args) => infer Returned
    ? Returned extends Effect.Effect<infer A, infer E>
      ? (...args: WithSignal<Args>) => Promise<Result<A, E>>
      : Returned extends Stream.Stream<infer A, infer E>
        ? (...args: WithSignal<Args>) => AsyncIterable<Result<A, E>>
        : never
    : never
}

type AllCalls = {
  readonly [Name in keyof typeof Clients.tags]: Calls<
    Context.Tag.Service<(typeof Clients.tags)[Name]>
  >
}

/**
 * All calls. A promise resolves to a `Result`, and rejects only because of a bug or an aborted signal. An
 * iterable ends after its first result that is not `ok`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Promises extends AllCalls {
  /** Runs a program that uses the services, to move to Effect step by step. */
  readonly run: <A, E>(
    program: Effect.Effect<A, E, Clients.Clients>,
    options?: Abortable
  ) => Promise<Result<A, E>>
  /**
   * Ends the renewal of tokens and closes the connections. First wait for calls in progress, or abort
   * them; later calls fail with a `TokenUnavailableError`.
   */
  readonly close: () => Promise<void>
}

/**
 * The address of the service and the credentials. `retry` holds for calls and for token requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options
  extends Gateway.Options, Pick<Token.Options, "authUrl" | "clientId" | "environment"> {
  readonly clientSecret: string | Redacted.Redacted
  /** `FetchClient.layer` by default. `UndiciClient.layer` of `@manilla/core` is faster on Node. */
  readonly client?: Layer.Layer<HttpClient.HttpClient, Errors.ConfigurationError> | undefined
}

/**
 * Connects to the service. Without options, reads the `MANILLA_…` variables of `Manilla.config`. Rejects
 * with an error that names each wrong setting. Make one for the whole process: its calls share the token,
 * the connections and the retry budget.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Promises from "@manilla/promises/Promises"
 *
 * const pay = async (order: string) => {
 *   const manilla = await Promises.make()
 *   const result = await manilla.payments.collect(
 *     {
 *       country: "BJ",
 *       amount: "1500",
 *       currency: "XOF",
 *       payment_method: "mtn_momo",
 *       payer: { phone_number: "+2290100000000" }
 *     },
 *     { key: IdempotencyKey.derive("order", order) }
 *   )
 *   await manilla.close()
 *   return result.ok ? result.value.status : result.error.message
 * }
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: Options): Promise<Promises> =>
  options === undefined
    ? makeWith(Layer.provide(Manilla.layerConfig(), FetchClient.layer))
    : makeWith(Layer.provide(layer(options), options.client ?? FetchClient.layer))

const layer = ({ clientSecret, ...options }: Options) =>
  Manilla.layer({
    gateway: options,
    token: {
      ...options,
      clientSecret: Redacted.isRedacted(clientSecret) ? clientSecret : Redacted.make(clientSecret)
    }
  })

/**
 * Like `make`, but over a gateway of your own, such as that of a sandbox in tests.
 *
 * @example
 * import * as Promises from "@manilla/promises/Promises"
 * import * as SandboxClient from "@manilla/sandbox/SandboxClient"
 * import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
 * import * as Layer from "effect/Layer"
 *
 * const connect = () =>
 *   Promises.makeWith(Layer.provide(SandboxGateway.layer(), SandboxClient.layer()))
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeWith = async <E>(gateway: Layer.Layer<Gateway.Gateway, E>): Promise<Promises> => {
  const managed = ManagedRuntime.make(Layer.provide(Clients.layer, gateway))
  const built = await Effect.runPromiseExit(managed.runtimeEffect)
  if (Exit.isFailure(built)) {
    await managed.dispose()
    const reason = Cause.squash(built.cause)
    // The error of a setting is a tree, which Node prints as such.
    throw Predicate.isError(reason) ? reason : new Error(String(reason))
  }
  const runtime = built.value
  const promised =
    (method: Method) =>
    (...args: ReadonlyArray<unknown>) => {
      const { rest, signal } = apart(args)
      const returned = method(...rest)
      return Effect.isEffect(returned)
        ? settle(runtime, returned, signal)
        : iterate(runtime, returned, signal)
    }
  const all: Readonly<Record<string, object>> = Runtime.runSync(runtime, Effect.all(Clients.tags))
  // `Calls` maps each method to its promise, which TypeScript cannot infer here.
  const calls = Record.map(all, (service) =>
    Record.map({ ...service } as Record<string, Method>, promised)
  ) as never
  return {
    ...(calls as AllCalls),
    run: (program, options) => settle(runtime, program, options?.signal),
    close: () => managed.dispose()
  }
}

type Method = (
  ...args: ReadonlyArray<unknown>
) => Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

/** Takes the signal out of the last argument: the services do not know it. */
const apart = (args: ReadonlyArray<unknown>) => {
  const last = args.at(-1)
  if (!Predicate.hasProperty(last, "signal")) return { rest: args, signal: undefined }
  const { signal, ...options } = last
  return {
    rest: [...args.slice(0, -1), options],
    signal: signal instanceof AbortSignal ? signal : undefined
  }
}

const succeeded = <A>(value: A) => ({ ok: true, value }) as const

const failed = <E>(error: E) => ({ ok: false, error }) as const

const settle = async <A, E, R>(
  runtime: Runtime.Runtime<R>,
  effect: Effect.Effect<A, E, R>,
  signal: AbortSignal | undefined
): Promise<Result<A, E>> => {
  // Otherwise, a request might be sent before the interruption.
  signal?.throwIfAborted()
  const exit = await Runtime.runPromiseExit(runtime, effect, signal && { signal })
  if (Exit.isSuccess(exit)) return succeeded(exit.value)
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return failed(failure.value)
  if (Cause.isInterruptedOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

const iterate = <A, E, R>(
  runtime: Runtime.Runtime<R>,
  stream: Stream.Stream<A, E, R>,
  signal: AbortSignal | undefined
): AsyncIterable<Result<A, E>> =>
  stream.pipe(
    Stream.map(succeeded),
    Stream.catchAll((error) => Stream.succeed(failed(error))),
    Stream.interruptWhen(signal === undefined ? Effect.never : aborted(signal)),
    Stream.toAsyncIterableRuntime(runtime)
  )

/** Dies with the reason when the signal is aborted. */
const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.async((resume, interrupted) => {
    const die = () => resume(Effect.die(signal.reason))
    if (signal.aborted) die()
    else signal.addEventListener("abort", die, { once: true, signal: interrupted })
  })
