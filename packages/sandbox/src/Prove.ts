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
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { BearerTokens } from "@manilla/core/BearerTokens"
import type * as Gateway from "@manilla/core/Gateway"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as all from "./internal/prove/all.js"
import * as globals from "./internal/prove/globals.js"
import type * as judge from "./internal/prove/judge.js"
import * as plan from "./internal/prove/plan.js"
import * as report from "./internal/prove/report.js"
import * as times from "./internal/prove/time.js"
import * as world from "./internal/prove/world.js"
import * as Sandbox from "./Sandbox.js"
import * as SandboxGateway from "./SandboxGateway.js"

/**
 * What a checkout says about its order. `"open"`: it is not known yet. `"review"`: a person has to decide, and the
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
  /** Repeats only this run, and prints the logs of the program. 0 is the run without faults. */
  readonly run?: number | undefined
  /** How often the script runs in one run, until nothing changes any more. Defaults to 30. */
  readonly rounds?: number | undefined
  /** A file for the report of a proof that fails, in HTML. */
  readonly file?: string | undefined
  /** The options of the sandbox. */
  readonly sandbox?: Sandbox.Options | undefined
}

/**
 * A checkout whose parts are effects.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checkout<Life extends string, Store, Process, R> extends Options {
  /**
   * The parts that may run any number of times: a request of the buyer, a pass of the worker. A life that succeeds with one of
   * the words of `Told` has told it to the buyer.
   */
  readonly lives: Readonly<Record<Life, Effect.Effect<unknown, unknown, R>>>
  /** The lives in their order. They are repeated until nothing changes. */
  readonly script: ReadonlyArray<NoInfer<Life>>
  /** What the checkout says about the order now. It is asked after each life. */
  readonly told: Effect.Effect<Told, unknown, R>
  /** The store. It is new in each run, and outlives the processes of the run. */
  readonly store?: Layer.Layer<Store, unknown> | undefined
  /** The services of a process. They are built again after each death. */
  readonly process?: Layer.Layer<Process, unknown, Store | Services> | undefined
  /** Puts back a store that is not a layer, before each run. */
  readonly reset?: Effect.Effect<unknown, unknown, R> | undefined
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
  /** The faults of the run, such as `the 1st Payments.create gets no response`. */
  readonly faults: string
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
  Effect.gen(function* () {
    type Inner = Store | Process | Services
    const outer = yield* Effect.context<Exclude<R, Inner>>()
    const {
      lives,
      process = Layer.empty,
      reset = Effect.void,
      script,
      store = Layer.empty,
      told
    } = checkout
    return yield* prove(checkout, {
      script,
      open: () =>
        Effect.map(Layer.build(store as Layer.Layer<Store, unknown>), (stored) => {
          let isReset = false
          return ({ client, sandbox }) =>
            Effect.gen(function* () {
              const services = SandboxGateway.layer().pipe(
                Layer.provideMerge(Layer.succeed(HttpClient.HttpClient, client)),
                Layer.provideMerge(Layer.succeed(Sandbox.Sandbox, sandbox))
              )
              const built = yield* Layer.build(
                Layer.provideMerge(
                  process as Layer.Layer<Process, unknown, Store | Services>,
                  services
                ).pipe(Layer.provideMerge(Layer.succeedContext(stored)))
              )
              // A context with all that `R` may name: what the proof provides, and what its caller does.
              const context = Context.merge(outer, built) as Context.Context<R>
              const run = <A, E>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
              if (!isReset) yield* run(reset)
              isReset = true
              return { told: run(told), lives: mapValues(lives, run) }
            })
        })
    })
  })

const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A) => B
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/**
 * The service, for a checkout without Effect.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Reaches only the service, in virtual time. */
  readonly fetch: typeof fetch
  /** For `Promises.makeWith` of `@manilla/promises`. */
  readonly gateway: Layer.Layer<Gateway.Gateway>
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
export interface PromiseCheckout<Life extends string, Store> extends Options {
  /** Opens the store: a new one in each run, which outlives the processes of the run. */
  readonly store: () => Store | Promise<Store>
  /** Starts a process, again after each death, and returns its lives. */
  readonly process: (service: Service, store: NoInfer<Store>) => Lives<Life> | Promise<Lives<Life>>
  /** The lives in their order. They are repeated until nothing changes. */
  readonly script: ReadonlyArray<NoInfer<Life>>
  /** What the checkout says about the order now. It is asked after each life. */
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
): Promise<Proof> =>
  Effect.runPromise(
    Effect.acquireUseRelease(
      Effect.sync(globals.install),
      (virtual) =>
        prove(checkout, {
          script: checkout.script,
          open: (time) =>
            Effect.gen(function* () {
              virtual.use(time, () => true)
              const store = yield* promised(checkout.store)
              return (services) =>
                Effect.gen(function* () {
                  virtual.use(time, services.isAlive)
                  const service = yield* serviceOf(services)
                  const lives = yield* promised(() => checkout.process(service, store))
                  return {
                    told: promised(() => checkout.told(store)),
                    lives: mapValues<() => unknown, Effect.Effect<unknown, unknown>>(
                      lives,
                      promised
                    )
                  }
                })
            })
        }),
      ({ restore }) => Effect.sync(restore)
    ).pipe(Effect.withScheduler(times.make().scheduler()))
  )

const promised = <A>(make: () => A | Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: async () => make(), catch: (error) => error })

const serviceOf = ({ client, logs, sandbox }: world.Services): Effect.Effect<Service> =>
  Effect.gen(function* () {
    const { client_id, client_secret } = yield* sandbox.credentials
    const { authUrl, baseUrl } = sandbox
    return {
      authUrl,
      baseUrl,
      clientId: client_id,
      clientSecret: Redacted.value(client_secret),
      gateway: SandboxGateway.layer().pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
        Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox)),
        Layer.provideMerge(logs ? Layer.empty : Logger.remove(Logger.defaultLogger)),
        Layer.orDie
      ),
      fetch: fetchOf(client)
    }
  })

const fetchOf =
  (client: HttpClient.HttpClient): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const body = new Uint8Array(await request.arrayBuffer())
    const sent = HttpClientRequest.make(request.method as "GET")(request.url).pipe(
      HttpClientRequest.setHeaders(Object.fromEntries(request.headers)),
      body.length === 0
        ? (empty) => empty
        : HttpClientRequest.bodyUint8Array(body, request.headers.get("content-type") ?? undefined)
    )
    const response = client.execute(sent).pipe(
      Effect.flatMap((answer) =>
        Effect.map(
          answer.arrayBuffer,
          (bytes) => new Response(bytes, { status: answer.status, headers: answer.headers })
        )
      ),
      Effect.mapError((error) => new TypeError("fetch failed", { cause: error.cause ?? error })),
      Effect.either
    )
    const { signal } = request
    const received = await Effect.runPromise(response, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error
    })
    if (Either.isLeft(received)) throw received.left
    return received.right
  }

const prove = (options: Options, program: world.Program): Effect.Effect<Proof, ProofFailed> =>
  Effect.gen(function* () {
    const { file, pairs = 100, rounds = 30, run, sandbox = {}, seed = 1 } = options
    const result = yield* all
      .prove({
        pairs,
        seed,
        run,
        inProcess: true,
        trial: (one, calm) =>
          world.trial(program, one, calm, { sandbox, rounds, logs: run !== undefined }),
        repeat: (number) =>
          `add { run: ${number}, seed: ${seed}, pairs: ${pairs} } to its options.`,
        onRun: () => Effect.void
      })
      .pipe(Effect.mapError((error) => new ProofFailed({ message: messageOf(error) })))
    const text = report.text(result)
    const proof: Proof = {
      runs: report.counted(result).length,
      missed: report.missed(result),
      failures: report.failures(result).map(({ first }) => ({
        run: first.run.number,
        rule: first.violations[0]?.rule ?? 1,
        sentence: first.violations[0]?.sentence ?? "",
        faults: plan.words(first.run)
      })),
      text
    }
    if (proof.failures.length > 0) {
      if (file !== undefined) yield* write(file, result)
      return yield* new ProofFailed({ message: text, proof })
    }
    const shown = run === undefined ? [] : result.trials
    yield* Console.log([text, ...shown.flatMap(report.drawing)].join("\n"))
    return proof
  })

const messageOf = (error: unknown): string =>
  error instanceof all.Problem ? error.message : `The store cannot be opened: ${String(error)}`

/** Only Node has files, and a proof also runs in browsers. */
const write = (file: string, result: report.Report): Effect.Effect<void, ProofFailed> =>
  Effect.tryPromise({
    try: async () => {
      const [fs, html] = await Promise.all([
        import("node:fs/promises"),
        import("./internal/prove/html.js")
      ])
      await fs.writeFile(file, await Effect.runPromise(html.make(result)))
    },
    catch: (error) =>
      new ProofFailed({ message: `The report ${file} is not written: ${String(error)}` })
  })
