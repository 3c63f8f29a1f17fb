/**
 * A checkout in process and in virtual time: its lives, and the processes in which they run, beside a service that
 * survives them.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import type * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Sandbox from "../../Sandbox.js"
import * as SandboxClient from "../../SandboxClient.js"
import { Interceptor } from "../http/incoming.js"
import type { Time } from "./time.js"
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

interface Mortal<R> {
  isAlive: boolean
  /** A process starts with its first life. */
  readonly context: Effect.Effect<Context.Context<R>, unknown>
}

interface Running<R> {
  readonly mortal: Mortal<R>
  exit: Exit.Exit<unknown, unknown> | undefined
}

/** In process, a fault for a time takes a minute, and late is 10 minutes late. */
export const timing = { lastsMillis: 60_000, lateMillis: 600_000 }

/** How long a request travels, and its response. */
const travelMillis = 10
const dayMillis = 24 * 60 * 60 * 1000
/** How often the script runs at most. */
const rounds = 30
/** How long nothing may happen in real time, such as a query of the store. */
const patienceMillis = 5000

export const make =
  <Store, R>(checkout: Checkout<Store, R>, { logs, sandbox: options, time }: Options) =>
  ({
    intercept,
    isStorm,
    note,
    violate
  }: Watch): Effect.Effect<Subject<unknown>, unknown, Scope.Scope> =>
    Effect.gen(function* () {
      const onClock = Effect.withClock(time.clock)
      const { client, sandbox } = yield* SandboxClient.make({ seed: "prove", ...options }).pipe(
        Effect.provideService(Interceptor, intercept),
        Effect.withRandom(Random.make("service"))
      )
      const scope = yield* Scope.make()
      yield* Effect.addFinalizer(() => close(time, scope))
      const store = yield* Layer.buildWithScope(checkout.store, scope)

      let mortals: Array<Mortal<R>> = []
      let running: Array<Running<R>> = []
      let current = ""
      let started = 0
      const die = Effect.sync(() => {
        for (const mortal of mortals) mortal.isAlive = false
        mortals = []
        time.forget()
        note("the process dies", "bad")
      })
      const newMortal = (): Mortal<R> => {
        const outside = Context.make(
          HttpClient.HttpClient,
          networkOf(() => mortal.isAlive)
        ).pipe(Context.add(Sandbox.Sandbox, sandbox), Context.merge(store))
        const start = Layer.buildWithScope(checkout.process, scope).pipe(Effect.provide(outside))
        const mortal: Mortal<R> = { isAlive: true, context: Effect.runSync(Effect.cached(start)) }
        mortals.push(mortal)
        return mortal
      }
      /** A request that was sent is processed even if its sender dies. */
      const networkOf = (isAlive: () => boolean) =>
        HttpClient.make((request) =>
          Effect.async((resume) => {
            const travel = Effect.sleep(travelMillis)
            const sent = travel.pipe(
              Effect.zipRight(client.execute(request)),
              Effect.zipLeft(travel),
              onClock
            )
            const fiber = Effect.runFork(sent, { scheduler: time.scheduler() })
            fiber.addObserver((exit) => {
              if (isAlive()) resume(exit)
            })
            return Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))
          })
        )
      const launch = (life: string, mortal: Mortal<R>): Running<R> => {
        const program = checkout.lives[life] ?? checkout.told
        const loggers = HashSet.empty<Logger.Logger<unknown, unknown>>()
        const running = mortal.context.pipe(
          Effect.flatMap((context) => Effect.provide(program, context)),
          Effect.withRandom(Random.make(`process ${started++}`)),
          logs ? (life) => life : Effect.locally(FiberRef.currentLoggers, loggers),
          onClock
        )
        const one: Running<R> = { mortal, exit: undefined }
        const fiber = Effect.runFork(running, { scheduler: time.scheduler(() => mortal.isAlive) })
        fiber.addObserver((exit) => {
          one.exit = exit
        })
        return one
      }
      /** Runs a life until it has ended or its process is dead. */
      const live = (life: string, isTwice: boolean) =>
        Effect.gen(function* () {
          current = life
          running = [launch(life, mortals[0] ?? newMortal())]
          if (isTwice) running.push(launch(life, newMortal()))
          const hasEnded = () => running.every(({ exit, mortal }) => exit || !mortal.isAlive)
          const until = time.nowMillis() + dayMillis
          const ends = yield* time.pass(until, () => hasEnded() || isStorm(), patienceMillis)
          if (!ends) violate(3, `The life “${life}” does not end.`)
          if (!hasEnded()) yield* die
          // Requests in transit arrive.
          yield* pass(10 * travelMillis)
          return running.map(({ exit = Exit.void }) => {
            if (Exit.isFailure(exit)) note(`${life} fails with ${failureOf(exit)}`, "bad")
            return Exit.getOrElse(exit, () => undefined)
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
        again: () => void running.push(launch(current, newMortal()))
      }
    })

/** Closes the store. A finalizer of a dead process may wait for what never comes. */
const close = (time: Time, scope: Scope.CloseableScope) =>
  Effect.suspend(() => {
    const closing = Effect.withClock(Scope.close(scope, Exit.void), time.clock)
    const fiber = Effect.runFork(closing, { scheduler: time.scheduler() })
    return time.pass(time.nowMillis() + dayMillis, () => fiber.unsafePoll() !== null)
  })

const failureOf = ({ cause }: Exit.Failure<unknown, unknown>): string => {
  const error = Cause.squash(cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split("\n", 1).join()
}
