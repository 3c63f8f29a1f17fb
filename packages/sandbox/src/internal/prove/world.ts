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
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Sandbox from "../../Sandbox.js"
import * as SandboxClient from "../../SandboxClient.js"
import { Interceptor } from "../http/incoming.js"
import type { Time } from "./time.js"
import * as times from "./time.js"
import type { Subject, Watch } from "./trial.js"

/** What a process gets from outside. */
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

/** A process. It starts with its first life. */
interface Mortal<R> {
  isAlive: boolean
  context: Context.Context<R> | undefined
}

interface Running<R> {
  readonly mortal: Mortal<R>
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** In process, a fault for a time takes a minute, and late is 10 minutes late. */
export const timing = { lastsMillis: 60_000, lateMillis: 600_000 }

/** How long a request travels, and its response. */
const travelMillis = 10
const dayMillis = 24 * 60 * 60 * 1000
/** How often the script runs at most. */
const rounds = 30
/** How long nothing may happen in real time, such as a query of the store. */
const realMillis = 5000

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
        const mortal = { isAlive: true, context: undefined }
        mortals.push(mortal)
        return mortal
      }
      /** A request that was sent is processed even if its sender dies. */
      const network = (mortal: Mortal<R>) =>
        HttpClient.make((request) =>
          Effect.async((resume) => {
            const travel = Effect.sleep(travelMillis)
            const fiber = Effect.runFork(
              travel.pipe(
                Effect.zipRight(client.execute(request)),
                Effect.zipLeft(travel),
                onClock
              ),
              { scheduler: time.scheduler() }
            )
            fiber.addObserver((exit) => {
              if (mortal.isAlive) resume(exit)
            })
            return Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))
          })
        )
      const start = (mortal: Mortal<R>) => {
        const outside = Context.make(HttpClient.HttpClient, network(mortal)).pipe(
          Context.add(Sandbox.Sandbox, sandbox),
          Context.merge(store)
        )
        return Layer.buildWithScope(checkout.process, scope).pipe(
          Effect.provide(outside),
          Effect.tap((context) => {
            mortal.context = context
          })
        )
      }
      const launch = (life: string, mortal: Mortal<R>): Running<R> => {
        const context = Effect.suspend(() =>
          mortal.context === undefined ? start(mortal) : Effect.succeed(mortal.context)
        )
        const program = checkout.lives[life] ?? checkout.told
        const fiber = Effect.runFork(
          Effect.flatMap(context, (context) => Effect.provide(program, context)).pipe(
            Effect.withRandom(Random.make(`process ${started++}`)),
            logs ? (life) => life : Effect.locally(FiberRef.currentLoggers, HashSet.empty()),
            onClock
          ),
          { scheduler: time.scheduler(() => mortal.isAlive) }
        )
        return { fiber, mortal }
      }
      /** Runs a life until it has ended or its process is dead. */
      const live = (life: string, isTwice: boolean) =>
        Effect.gen(function* () {
          current = life
          const until = time.nowMillis() + dayMillis
          running = [launch(life, mortals[0] ?? newMortal())]
          if (isTwice) running.push(launch(life, newMortal()))
          let quiet = 0
          for (;;) {
            yield* time.idle
            if (running.every(({ fiber, mortal }) => hasEnded(fiber) || !mortal.isAlive)) break
            if (isStorm()) {
              yield* die
              break
            }
            if (time.wakeNext(until)) quiet = 0
            else if (quiet++ < realMillis) yield* times.realMillisecond
            else {
              violate({ rule: 3, sentence: `The life “${life}” does not end.` })
              yield* die
            }
          }
          return running.flatMap(({ fiber }) => {
            const exit = fiber.unsafePoll()
            if (exit === null) return []
            if (Exit.isSuccess(exit)) return [exit.value]
            note(`${life} fails with ${failureOf(exit.cause)}`, "bad")
            return []
          })
        })
      const pass = (millis: number) =>
        Effect.gen(function* () {
          const until = time.nowMillis() + millis
          do yield* time.idle
          while (!isStorm() && time.wakeNext(until))
          time.skipTo(until)
        })
      return {
        sandbox,
        script: checkout.script,
        // What is still in transit arrives.
        live: (life, isTwice) => Effect.zipLeft(live(life, isTwice), pass(10 * travelMillis)),
        told: Effect.map(live("told", false), ([told]) => told),
        pass: (round) => pass(Math.min(1000 * 2 ** round, 2 * 60 * 60 * 1000)),
        isOver: (round) => round + 1 >= rounds,
        die,
        again: () => void running.push(launch(current, newMortal()))
      }
    })

/** Closes the store. A finalizer of a dead process may wait for what never comes. */
const close = (time: Time, scope: Scope.CloseableScope) =>
  Effect.gen(function* () {
    const closing = Effect.runFork(Effect.withClock(Scope.close(scope, Exit.void), time.clock), {
      scheduler: time.scheduler()
    })
    do yield* time.idle
    while (!hasEnded(closing) && time.wakeNext(time.nowMillis() + dayMillis))
  })

const hasEnded = (fiber: Fiber.RuntimeFiber<unknown, unknown>) => fiber.unsafePoll() !== null

const failureOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split("\n", 1).join()
}
