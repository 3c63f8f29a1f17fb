/**
 * Proves a checkout: it runs again and again, each time with another fault at another request, or dies there. The
 * ledger of the sandbox is the judge, by five rules:
 *
 * 1. No operation moves money twice.
 * 2. Nobody is told “not paid” whose money moved or still may, nor “paid” whose money did not move.
 * 3. After the faults, everything ends within a number of lives.
 * 4. After an unknown outcome, the same order is not sent with another key, and no key with another request.
 * 5. No storm: there is a bound on requests per minute.
 *
 * Time is virtual, so hundreds of runs take seconds.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type { BearerTokens } from "@manilla/core/BearerTokens"
import type * as Gateway from "@manilla/core/Gateway"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type * as judge from "./internal/prove/judge.js"
import * as plan from "./internal/prove/plan.js"
import * as proofs from "./internal/prove/proof.js"
import * as times from "./internal/prove/time.js"
import { Problem } from "./internal/prove/trial.js"
import type { Scene, World } from "./internal/prove/trial.js"
import type { Exchange } from "./Exchange.js"
import * as Sandbox from "./Sandbox.js"
import * as SandboxClient from "./SandboxClient.js"
import * as SandboxGateway from "./SandboxGateway.js"

/**
 * The state of an order, as a checkout tells it. `"open"`: it is not known yet. `"review"`: a person has to decide, and the
 * program does nothing more.
 *
 * @since 0.1.0
 * @category models
 */
export type Told = judge.Told

/**
 * The services that a proof provides to the lives of a checkout, beside its own layers.
 *
 * @since 0.1.0
 * @category models
 */
export type Services = HttpClient.HttpClient | Sandbox.Sandbox | Gateway.Gateway | BearerTokens

/**
 * Options of a proof. All of them have defaults.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The number of runs with two faults. Defaults to 100. */
  readonly pairs?: number | undefined
  /** The seed that draws the pairs. Defaults to 1. */
  readonly seed?: number | undefined
  /**
   * Repeats only this run, and prints the logs of the program: its faults, such as `"1st Payments.create: response lost"`,
   * or its number. 0 is the run without faults.
   */
  readonly run?: string | number | undefined
  /** A file for the report of a proof that fails, in HTML. */
  readonly file?: string | undefined
  /** The options of the sandbox. */
  readonly sandbox?: Sandbox.Options | undefined
}

/**
 * The lives of a checkout in their order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Script<Life extends string> extends Options {
  /** The lives in their order. They are repeated until nothing changes, for at most 36 hours of virtual time. */
  readonly script: ReadonlyArray<NoInfer<Life>>
  /**
   * The script of another order, which is paid in three more runs: before this one begins, and while its own payment
   * fails. No order may take the key or the payment of another.
   */
  readonly other?: ReadonlyArray<NoInfer<Life>> | undefined
}

/**
 * A checkout whose parts are effects.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checkout<Life extends string, Store, Process, R> extends Script<Life> {
  /**
   * The parts that may run any number of times: a request of the buyer, a pass of the worker. A life that succeeds with one of
   * the words of `Told` has told it to the buyer.
   */
  readonly lives: Readonly<Record<Life, Effect.Effect<unknown, unknown, R>>>
  /** Returns the state of the order now. The proof asks after each life. */
  readonly told: Effect.Effect<Told, unknown, R>
  /**
   * The store. Its layer is built in each run, and outlives the processes of the run. The layer of one that is shared
   * puts it back.
   */
  readonly store?: Layer.Layer<Store, unknown> | undefined
  /** The services of a process. They are built again after each death. */
  readonly process?: Layer.Layer<Process, unknown, Store | Services> | undefined
}

/**
 * The result of a proof.
 *
 * @since 0.1.0
 * @category models
 */
export interface Proof {
  /** The number of runs that reached their faults, with the one without faults. */
  readonly runs: number
  /** The runs that did not reach their faults. They count for nothing. */
  readonly missed: ReadonlyArray<number>
  /** The first failed run of each rule that was broken. */
  readonly failures: ReadonlyArray<Failure>
  /** What was covered, and the failures with the drawings of their requests, for a terminal of 100 columns. */
  readonly text: string
}

/**
 * A run that broke a rule.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly run: number
  readonly rule: 1 | 2 | 3 | 4 | 5
  /** What happened, such as `Money moved twice for one order, by …`. */
  readonly sentence: string
  /** The faults of the run, such as `1st Payments.create: response lost`. */
  readonly faults: string
  /** Its requests, and how they ended. */
  readonly exchanges: ReadonlyArray<Exchange>
}

/**
 * The checkout broke a rule, or the proof cannot run. The message has everything.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProofFailed extends Data.TaggedError("ProofFailed")<{
  readonly message: string
  /** Absent if the proof could not run. */
  readonly proof?: Proof
}> {}

/**
 * Runs a checkout once without faults, and then again for each of its requests with each fault, and with pairs of
 * faults. Prints what was covered. Fails with the first run that broke each rule: a sentence, the drawing of its
 * requests, and the line that repeats it.
 *
 * @example
 * import * as Payments from "@manilla/payments/Payments"
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Prove from "@manilla/sandbox/Prove"
 * import * as Effect from "effect/Effect"
 *
 * const request = {
 *   country: "BJ",
 *   amount: "1500",
 *   currency: "XOF",
 *   payment_method: "mtn_momo",
 *   payer: { phone_number: "+2290161234567" }
 * }
 *
 * const collect = Effect.flatMap(Payments.Payments, (payments) =>
 *   payments.collect(request, { key: IdempotencyKey.derive("order", "42") })
 * )
 *
 * const proof = Prove.everyFault({
 *   process: Payments.layer,
 *   lives: { collect },
 *   script: ["collect"],
 *   told: Effect.match(collect, {
 *     onFailure: () => "open" as const,
 *     onSuccess: ({ status }) => (status === "COMPLETED" ? "paid" : "review")
 *   })
 * })
 *
 * @since 0.1.0
 * @category proofs
 */
export const everyFault = <Life extends string, R, Store = never, Process = never>(
  checkout: Checkout<Life, Store, Process, R>
): Effect.Effect<Proof, ProofFailed, Exclude<R, Store | Process | Services>> =>
  Effect.flatMap(Effect.context<Exclude<R, Store | Process | Services>>(), (outer) => {
    const { process = Layer.empty, store = Layer.empty } = checkout
    const services = Layer.provideMerge(
      process as Layer.Layer<Process, unknown, Store | Services>,
      SandboxGateway.layer()
    )
    const started = Layer.flatMap(
      Layer.merge(services, Layer.context<Store | Outside>()),
      // All that `R` may name: what the proof provides, and what its caller does.
      (inner) => Layer.succeedContext(Context.merge(outer, inner) as Context.Context<R>)
    )
    const parts = { ...checkout, process: started, store: store as Layer.Layer<Store, unknown> }
    return prove(checkout, parts, times.alone)
  })

/**
 * The service, for a checkout without Effect. `Promises.make` of `@manilla/promises` takes it as its options.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Reaches only the service, in virtual time. */
  readonly fetch: typeof fetch
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * A checkout whose parts return promises.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromiseCheckout<Life extends string, Store> extends Script<Life> {
  /** Opens the store: a new one in each run, which outlives the processes of the run. */
  readonly store: () => Store | Promise<Store>
  /** Starts a process, again after each death, and returns its lives. */
  readonly process: (service: Service, store: NoInfer<Store>) => Lives<Life> | Promise<Lives<Life>>
  /** Returns the state of the order now. The proof asks after each life. */
  readonly told: (store: NoInfer<Store>) => Told | Promise<Told>
}

/**
 * The lives of a process. One that returns a word of `Told` has told it to the buyer.
 *
 * @since 0.1.0
 * @category models
 */
export type Lives<Life extends string> = Readonly<Record<Life, () => unknown>>

/**
 * The same as `everyFault`, for a checkout without Effect. Until it ends, `Date` and the timers are virtual, also for the
 * rest of the program.
 *
 * @since 0.1.0
 * @category proofs
 */
export const everyFaultPromise = <Life extends string, Store>(
  checkout: PromiseCheckout<Life, Store>
): Promise<Proof> => {
  const { other = [], process, script, store, told } = checkout
  const Stored = Context.GenericTag<"Store", Store>("Store")
  const Process = Context.GenericTag<"Process", Lives<Life>>("Process")
  const start = Effect.all([serviceOf, Stored]).pipe(
    Effect.flatMap(([service, stored]) => promised(() => process(service, stored)))
  )
  const live = (life: Life) => Effect.flatMap(Process, (lives) => promised(() => lives[life]()))
  const proof = prove(
    checkout,
    {
      other,
      script,
      lives: Object.fromEntries([...script, ...other].map((life) => [life, live(life)])),
      told: Effect.flatMap(Stored, (stored) => promised(() => told(stored))),
      store: Layer.effect(Stored, promised(store)),
      process: Layer.merge(Layer.effect(Process, start), Layer.context<"Store">())
    },
    times.install
  )
  return Effect.runPromise(Effect.withScheduler(proof, times.alone().scheduler()))
}

const promised = <A>(make: () => A | Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: async () => make(), catch: (error) => error })

const serviceOf = Effect.gen(function* () {
  const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
  const { client_id, client_secret } = yield* credentials
  const service: Service = {
    authUrl,
    baseUrl,
    clientId: client_id,
    clientSecret: Redacted.value(client_secret),
    fetch: SandboxClient.toFetch(yield* HttpClient.HttpClient)
  }
  return service
})

/** The services that a process gets from outside. */
type Outside = HttpClient.HttpClient | Sandbox.Sandbox

/** A checkout, with all that its parts need beside the outside of a process. */
interface Parts<Store, R> extends Pick<Scene<R>, "script" | "lives" | "other" | "told"> {
  readonly store: Layer.Layer<Store, unknown>
  readonly process: Layer.Layer<R, unknown, Store | Outside>
}

const prove = <Store, R>(
  { file, pairs = 100, run, sandbox = {}, seed = 1 }: Options,
  parts: Parts<Store, R>,
  startTime: () => times.Time
): Effect.Effect<Proof, ProofFailed> =>
  Effect.gen(function* () {
    const proof = yield* proofs.prove({
      pairs,
      seed,
      run: run === undefined ? undefined : String(run),
      inProcess: true,
      hasOthers: parts.other !== undefined && parts.other.length > 0,
      repeat: (run) =>
        `add { run: "${plan.words(run)}", seed: ${seed}, pairs: ${pairs} } to its options.`,
      world: () => {
        const time = startTime()
        return {
          ...durations,
          time,
          logs: run !== undefined,
          open: () => open(parts, time, sandbox)
        }
      }
    })
    if (proof.failures.length === 0) {
      yield* Console.log(proof.text)
      return proof
    }
    if (file !== undefined) {
      // Only Node has files, and a proof also runs in browsers.
      const html = yield* Effect.promise(() => import("./internal/prove/html.js"))
      yield* html.write(file, proof)
    }
    return yield* new ProofFailed({ message: proof.text, proof })
  }).pipe(Effect.catchTag("Problem", ({ message }) => new ProofFailed({ message })))

const hourMillis = 60 * 60 * 1000

/** Hours take milliseconds. */
const durations = {
  lastsMillis: 60_000,
  lateMillis: 600_000,
  askMillis: Infinity,
  pauseMillis: 2 * hourMillis,
  endMillis: 36 * hourMillis
}

/** How long a request travels, and its response. */
const travel = Effect.sleep("10 millis")

/** The checkout beside a service that survives its processes. */
const open = <Store, R>(
  { process, store: storeLayer, ...parts }: Parts<Store, R>,
  time: times.Time,
  options: Sandbox.Options
): ReturnType<World<R>["open"]> =>
  Effect.gen(function* () {
    const { client, sandbox } = yield* SandboxClient.make({ seed: "prove", ...options })
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => {
      const closing = times.fork(time, Scope.close(scope, Exit.void))
      // A finalizer of a dead process may wait for what never comes.
      return time.pass(hourMillis, () => closing.unsafePoll() !== null)
    })
    const store = yield* Effect.mapError(
      Layer.buildWithScope(storeLayer, scope),
      (error) => new Problem({ message: `The store cannot be opened: ${String(error)}` })
    )
    /** A request that was sent is processed even if its sender dies. */
    const networkOf = (isAlive: () => boolean) =>
      HttpClient.make((request) =>
        Effect.async((resume) => {
          const sent = Effect.zipLeft(Effect.zipRight(travel, client.execute(request)), travel)
          const fiber = times.fork(time, sent)
          fiber.addObserver((exit) => {
            if (isAlive()) resume(exit)
          })
          return Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))
        })
      )
    return {
      ...parts,
      sandbox,
      start: (isAlive) =>
        Layer.buildWithScope(process, scope).pipe(
          Effect.provideService(HttpClient.HttpClient, networkOf(isAlive)),
          Effect.provideService(Sandbox.Sandbox, sandbox),
          Effect.provide(store)
        ),
      kill: Effect.void
    }
  })
