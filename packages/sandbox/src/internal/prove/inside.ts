/**
 * A checkout in process and in virtual time: its lives, and the processes in which they run, beside a service that
 * survives them.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Sandbox from "../../Sandbox.js"
import * as SandboxClient from "../../SandboxClient.js"
import { Interceptor } from "../http/incoming.js"
import type * as judge from "./judge.js"
import type * as plan from "./plan.js"
import type { Time } from "./time.js"
import { Problem, trial } from "./trial.js"
import type { Subject, Watch } from "./trial.js"

/** The services that a process gets from outside. */
export type Outside = HttpClient.HttpClient | Sandbox.Sandbox

/** A checkout, with all that its parts need beside the outside of a process. */
export interface Checkout<Store, R> {
  readonly script: ReadonlyArray<string>
  readonly lives: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
  readonly told: Effect.Effect<unknown, unknown, R>
  readonly store: Layer.Layer<Store, unknown>
  readonly process: Layer.Layer<R, unknown, Store | Outside>
}

export interface Options {
  readonly time: Time
  readonly sandbox: Sandbox.Options
  /** Whether the logs of the program are printed. */
  readonly logs: boolean
}

interface Process<R> {
  isAlive: boolean
  /** It starts with its first life. */
  readonly context: Effect.Effect<Context.Context<R>, unknown>
}

interface Running<R> {
  readonly process: Process<R>
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** A fault for a time takes a minute, and late is 10 minutes late. */
const timing = { lastsMillis: 60_000, lateMillis: 600_000 }
/** How long a request travels, and its response. */
const travelMillis = 10
const dayMillis = 24 * 60 * 60 * 1000
/** How often the script runs at most. */
const rounds = 30
/** How long nothing may happen in real time, such as a query of the store. */
const patienceMillis = 5000

export const run = <Store, R>(
  checkout: Checkout<Store, R>,
  options: Options,
  run: plan.Run,
  known: judge.Calm | undefined
) =>
  trial(run, known, timing, (watch) => make(checkout, options, watch)).pipe(
    Effect.scoped,
    Effect.withClock(options.time.clock),
    Effect.ensuring(Effect.sync(options.time.restore))
  )

const make = <Store, R>(
  checkout: Checkout<Store, R>,
  { logs, sandbox: options, time }: Options,
  { intercept, isStorm, note, violate }: Watch
): Effect.Effect<Subject, Problem, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = <A, E>(effect: Effect.Effect<A, E>, isAlive?: () => boolean) =>
      Effect.runFork(Effect.withClock(effect, time.clock), { scheduler: time.scheduler(isAlive) })
    const { client, sandbox } = yield* SandboxClient.make({ seed: "prove", ...options }).pipe(
      Effect.provideService(Interceptor, intercept),
      Effect.withRandom(Random.make("service"))
    )
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => {
      const closing = fork(Scope.close(scope, Exit.void))
      // A finalizer of a dead process may wait for what never comes.
      return time.pass(time.nowMillis() + dayMillis, () => closing.unsafePoll() !== null)
    })
    const store = yield* Effect.mapError(
      Layer.buildWithScope(checkout.store, scope),
      (error) => new Problem({ message: `The store cannot be opened: ${String(error)}` })
    )

    let processes: Array<Process<R>> = []
    let running: Array<Running<R>> = []
    let current = ""
    let started = 0
    const die = Effect.sync(() => {
      for (const process of processes) process.isAlive = false
      processes = []
      time.forget()
      note("the process dies", "bad")
    })
    const newProcess = (): Process<R> => {
      const outside = Context.make(Sandbox.Sandbox, sandbox).pipe(
        Context.add(
          HttpClient.HttpClient,
          networkOf(() => process.isAlive)
        ),
        Context.merge(store)
      )
      const start = Layer.buildWithScope(checkout.process, scope).pipe(Effect.provide(outside))
      const context = Effect.runSync(Effect.cached(start))
      const process: Process<R> = { isAlive: true, context }
      processes.push(process)
      return process
    }
    /** A request that was sent is processed even if its sender dies. */
    const networkOf = (isAlive: () => boolean) =>
      HttpClient.make((request) =>
        Effect.async((resume) => {
          const travel = Effect.sleep(travelMillis)
          const fiber = fork(
            Effect.zipLeft(Effect.zipRight(travel, client.execute(request)), travel)
          )
          fiber.addObserver((exit) => {
            if (isAlive()) resume(exit)
          })
          return Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))
        })
      )
    const launch = (process: Process<R>) => {
      const life = Effect.flatMap(process.context, (context) =>
        Effect.provide(checkout.lives[current] ?? checkout.told, context)
      ).pipe(
        Effect.withRandom(Random.make(`process ${started++}`)),
        logs ? identity : Effect.locally(FiberRef.currentLoggers, HashSet.empty())
      )
      running.push({ process, fiber: fork(life, () => process.isAlive) })
    }
    /** Runs a life until it has ended or its process is dead. */
    const live = (life: string, isTwice: boolean) =>
      Effect.gen(function* () {
        current = life
        running = []
        launch(processes[0] ?? newProcess())
        if (isTwice) launch(newProcess())
        const hasEnded = () =>
          running.every(({ fiber, process }) => fiber.unsafePoll() !== null || !process.isAlive)
        const until = time.nowMillis() + dayMillis
        const ends = yield* time.pass(until, () => hasEnded() || isStorm(), patienceMillis)
        if (!ends) violate(3, `The life “${life}” does not end.`)
        if (!hasEnded()) yield* die
        // Requests in transit arrive.
        yield* pass(10 * travelMillis)
        return running.map(({ fiber }) => {
          const exit = fiber.unsafePoll() ?? Exit.void
          if (Exit.isSuccess(exit)) return exit.value
          note(`${life} fails with ${failureOf(exit.cause)}`, "bad")
          return undefined
        })
      })
    const pass = (millis: number) =>
      Effect.gen(function* () {
        const until = time.nowMillis() + millis
        yield* time.pass(until, isStorm)
        time.skipTo(until)
      })
    return {
      sandbox,
      script: checkout.script,
      live,
      told: Effect.map(live("told", false), ([told]) => told),
      pass: (round) => pass(Math.min(1000 * 2 ** round, 2 * 60 * 60 * 1000)),
      isOver: (round) => round + 1 >= rounds,
      die,
      again: () => launch(newProcess())
    }
  })

const failureOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split("\n", 1).join()
}
