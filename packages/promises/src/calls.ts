/**
 * The calls of the services as functions that return promises.
 *
 * @since 0.1.0
 */
import type * as Gateway from "@manilla/core/Gateway"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import * as Clients from "@manilla/service/Clients"

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

/** The methods of a service as functions that return promises, or an iterable for `for await`. */
type Calls<Service> = { readonly [Name in keyof Service]: Promised<Service[Name]> }

type Promised<Method> = Method extends (...args: infer Args) => Effect.Effect<infer A, infer E>
  ? (...args: WithSignal<Args>) => Promise<Result<A, E>>
  : Method extends (...args: infer Args) => Stream.Stream<infer A, infer E>
    ? (...args: WithSignal<Args>) => AsyncIterable<Result<A, E>>
    : never

type Tags = typeof Clients.tags

type AllCalls = { readonly [Name in keyof Tags]: Calls<Effect.Effect.Success<Tags[Name]>> }

/**
 * All calls. A promise resolves to a `Result`, and rejects only because of a bug or an aborted signal. An
 * iterable ends after its first result that is not `ok`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Promises extends AllCalls {
  /**
   * Ends the renewal of tokens and closes the connections. First wait for calls in progress, or abort
   * them; later calls fail with a `TokenUnavailableError`.
   */
  readonly close: () => Promise<void>
}

/**
 * Makes the promises of a gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeWith = async <E>(gateway: Layer.Layer<Gateway.Gateway, E>): Promise<Promises> => {
  const managed = ManagedRuntime.make(Layer.provide(Clients.layer, gateway))
  const built = await settle(Runtime.defaultRuntime, managed.runtimeEffect)
  if (!built.ok) throw asError(built.error)
  const runtime = built.value
  const promised =
    (method: Method) =>
    (...args: ReadonlyArray<unknown>) => {
      const signal = args.find(hasSignal)?.signal
      const returned = method(...args.map(withoutSignal))
      return Effect.isEffect(returned)
        ? settle(runtime, returned, signal)
        : { [Symbol.asyncIterator]: () => iterate(results(returned, signal), runtime) }
    }
  // `Calls` maps each method to its promise, which TypeScript cannot infer here.
  const services = Runtime.runSync(runtime, Effect.all(Clients.tags))
  const calls: AllCalls = Record.map(services as never, Record.map(promised)) as never
  return {
    ...calls,
    close: () => managed.dispose()
  }
}

const remedy =
  "Set these variables, or give `Promises.make` the options `baseUrl`, `authUrl`, `clientId` and `clientSecret`."

/** Each setting that is missing or wrong, in one sentence. */
const issuesOf = (error: ConfigError.ConfigError): string =>
  error._op === "And" || error._op === "Or"
    ? `${issuesOf(error.left)}; ${issuesOf(error.right)}`
    : `${error.path.join(".")} ${error._op === "MissingData" ? "is not set" : error.message}`

const asError = (reason: unknown) =>
  ConfigError.isConfigError(reason) ? new Error(`${issuesOf(reason)}. ${remedy}`) : reason

type Returned = Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

type Method = (...args: ReadonlyArray<unknown>) => Returned

const hasSignal = (arg: unknown): arg is Required<Abortable> => Predicate.hasProperty(arg, "signal")

/** The services do not know the signal. */
const withoutSignal = (arg: unknown) => (hasSignal(arg) ? Record.remove(arg, "signal") : arg)

const succeeded = <A>(value: A) => ({ ok: true, value }) as const

const failed = <E>(error: E) => ({ ok: false, error }) as const

const settle = async <A, E, R>(
  runtime: Runtime.Runtime<R>,
  effect: Effect.Effect<A, E, R>,
  signal?: AbortSignal
): Promise<Result<A, E>> => {
  // Otherwise, a request might be sent before the interruption.
  signal?.throwIfAborted()
  const result = Effect.match(effect, { onFailure: failed, onSuccess: succeeded })
  const controller = signal && new AbortController()
  const stopListening = signal && onAbort(signal, () => controller?.abort())
  const exit = await Runtime.runPromiseExit(runtime, result, controller).finally(stopListening)
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.isInterruptedOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

const results = (stream: Stream.Stream<unknown, unknown>, signal: AbortSignal | undefined) =>
  stream.pipe(
    Stream.map(succeeded),
    Stream.catchAll((error) => Stream.succeed(failed(error))),
    Stream.interruptWhen(signal === undefined ? Effect.never : aborted(signal)),
    // Otherwise, the next page would be read at the first row of a page.
    Stream.rechunk(1)
  )

/** A reader answers each `next`, in order, and `return` ends those that wait. */
const iterate = (results: Stream.Stream<unknown>, runtime: Runtime.Runtime<never>) => {
  const reader = Stream.toReadableStreamRuntime(results, runtime).getReader()
  return {
    next: () => reader.read(),
    return: async () => ({ done: true, value: await reader.cancel() })
  }
}

/** Dies with the reason when the signal is aborted. */
const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.async((resume) => {
    const die = () => resume(Effect.die(signal.reason))
    if (signal.aborted) return die()
    return Effect.sync(onAbort(signal, die))
  })

/** The calls that end when a signal is aborted. */
const waiting = new WeakMap<EventTarget, Set<() => void>>()

/**
 * Runs a function when the signal is aborted, and returns a function that prevents it. All calls share one listener:
 * Node 20 warns of a leak at the eleventh.
 */
const onAbort = (signal: AbortSignal, run: () => void): (() => void) => {
  const calls = waiting.get(signal) ?? new Set()
  if (calls.size === 0) {
    waiting.set(signal, calls)
    signal.addEventListener("abort", endAll)
  }
  calls.add(run)
  return () => {
    calls.delete(run)
    if (calls.size === 0) signal.removeEventListener("abort", endAll)
  }
}

const endAll = ({ target }: Event): void => {
  if (target !== null) waiting.get(target)?.forEach((end) => end())
}
