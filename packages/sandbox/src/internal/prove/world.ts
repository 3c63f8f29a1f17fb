/**
 * One run of a checkout in process: its lives, and the processes in which they run, beside a service that survives
 * them, in virtual time.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import type * as Sandbox from "../../Sandbox.js"
import * as SandboxClient from "../../SandboxClient.js"
import { Interceptor } from "../http/incoming.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import * as record from "./record.js"
import * as times from "./time.js"

/** What a process gets from outside. */
export interface Services {
  readonly client: HttpClient.HttpClient
  readonly sandbox: Sandbox.Service
  readonly isAlive: () => boolean
  /** Whether the logs of the program are printed. */
  readonly logs: boolean
}

export interface Process {
  readonly lives: Readonly<Record<string, Effect.Effect<unknown, unknown>>>
  readonly told: Effect.Effect<judge.Told, unknown>
}

/** The program under proof. */
export interface Program {
  readonly script: ReadonlyArray<string>
  /** Opens the store of a run. Returns the start of a process over it. */
  readonly open: (
    time: times.Time
  ) => Effect.Effect<
    (services: Services) => Effect.Effect<Process, unknown, Scope.Scope>,
    unknown,
    Scope.Scope
  >
}

export interface Options {
  readonly sandbox: Sandbox.Options
  /** How often the script is repeated at most. */
  readonly rounds: number
  /** Whether the logs of the program are printed. */
  readonly logs: boolean
}

interface Mortal {
  isAlive: boolean
  process: Process | undefined
}

interface Running {
  readonly mortal: Mortal
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  exit: Exit.Exit<unknown, unknown> | undefined
}

/** How long a request travels, and its response. */
const travelMillis = 10
const dayMillis = 24 * 60 * 60 * 1000
/** In process a fault lasts for a minute, and late is 10 minutes late. */
const timing = { lastsMillis: 60_000, lateMillis: 600_000 }
/** How long nothing may happen in real time, such as a query of the store. */
const realMillis = 5000

/** Runs the script until nothing changes. Without the calm run, this is the calm run. */
export const trial = (
  { open, script }: Program,
  run: plan.Run,
  known: judge.Calm | undefined,
  options: Options
): Effect.Effect<record.Trial, unknown> =>
  Effect.gen(function* () {
    const { logs } = options
    const time = times.make()
    const log = record.make(run, known, time.nowMillis)
    const { note, violate } = log
    const scope = yield* Scope.make()
    const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.withClock(effect, time.clock)

    let mortals: Array<Mortal> = []
    let running: Array<Running> = []
    let current = ""
    const die = Effect.sync(() => {
      for (const mortal of mortals) mortal.isAlive = false
      mortals = []
      note("the process dies", "bad")
    })
    const injection = plan.inject(run, timing, {
      die,
      again: () => void running.push(launch(current, newMortal())),
      note: (text) => note(`fault: ${text}`)
    })
    const { client, sandbox } = yield* SandboxClient.make({
      seed: "prove",
      ...options.sandbox
    }).pipe(
      Effect.provideService(Interceptor, injection.intercept),
      Effect.withRandom(Random.make("service")),
      onClock
    )
    const books = Effect.suspend(() => onClock(judge.read(sandbox, injection.held())))

    /** A request that was sent is processed even if its sender dies. */
    const network = (mortal: Mortal) =>
      HttpClient.make((request) =>
        Effect.async((resume) => {
          const travel = Effect.sleep(travelMillis)
          const fiber = Effect.runFork(
            travel.pipe(Effect.zipRight(client.execute(request)), Effect.zipLeft(travel), onClock),
            { scheduler: time.scheduler() }
          )
          fiber.addObserver((exit) => {
            if (mortal.isAlive) resume(exit)
          })
          return Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))
        })
      )

    const start = yield* Scope.extend(onClock(open(time)), scope)
    let started = 0
    const newMortal = () => {
      const mortal: Mortal = { isAlive: true, process: undefined }
      mortals.push(mortal)
      return mortal
    }
    /** Starts a life in a process, which is started first if it is new. */
    const launch = (life: string, mortal: Mortal): Running => {
      const process = Effect.suspend(() =>
        mortal.process === undefined
          ? Effect.tap(
              start({ client: network(mortal), sandbox, logs, isAlive: () => mortal.isAlive }),
              (process) => {
                mortal.process = process
              }
            )
          : Effect.succeed(mortal.process)
      )
      const fiber = Effect.runFork(
        Effect.flatMap(process, ({ lives, told }) => lives[life] ?? told).pipe(
          Effect.provideService(Scope.Scope, scope),
          Effect.withRandom(Random.make(`process ${started++}`)),
          logs ? (life) => life : Effect.locally(FiberRef.currentLoggers, HashSet.empty()),
          onClock
        ),
        { scheduler: time.scheduler(() => mortal.isAlive) }
      )
      const one: Running = { fiber, mortal, exit: undefined }
      fiber.addObserver((exit) => {
        one.exit = exit
      })
      return one
    }

    /** Runs a life until it has ended or its process is dead. */
    const live = (life: string) =>
      Effect.gen(function* () {
        current = life
        const until = time.nowMillis() + dayMillis
        running = [launch(life, mortals[0] ?? newMortal())]
        if (life !== "" && injection.begin(life)) running.push(launch(life, newMortal()))
        let quiet = 0
        for (;;) {
          yield* time.idle
          if (running.every(({ exit, mortal }) => exit !== undefined || !mortal.isAlive)) break
          if (log.isStorm(injection)) {
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
        return running.map(({ exit }) => exit)
      })

    const pass = (millis: number) =>
      Effect.gen(function* () {
        const until = time.nowMillis() + millis
        do yield* time.idle
        while (!log.isStorm(injection) && time.wakeNext(until))
        time.skipTo(until)
      })

    const ask = Effect.gen(function* () {
      const before = yield* books
      const [exit] = yield* live("")
      const told = exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
      if (isTold(told)) log.hear(told, "told", before, yield* books)
      if (exit !== undefined && Exit.isFailure(exit))
        note(`told fails with ${failureOf(exit)}`, "bad")
      return isTold(told) ? told : "open"
    })

    let told: judge.Told = "open"
    let once: judge.Books | undefined
    let lives = 0
    let isLost = false
    for (let round = 0; round < options.rounds; round++) {
      const before: judge.Told = told
      for (const life of script) {
        note(`${life} starts`)
        lives++
        for (const exit of yield* live(life)) {
          if (exit === undefined) continue
          if (Exit.isFailure(exit)) note(`${life} fails with ${failureOf(exit)}`, "bad")
          const now = yield* books
          if (Exit.isSuccess(exit) && isTold(exit.value)) {
            log.hear(exit.value, `${life} tells`, now, now)
          }
        }
        // What is still in transit arrives.
        yield* pass(10 * travelMillis)
        told = yield* ask
      }
      const now = yield* books
      once ??= now
      isLost = log.isLost(injection, now)
      if (isLost || (round > 0 && told === before && log.isCalm(told, injection, now))) break
      yield* pass(Math.min(1000 * 2 ** round, 2 * 60 * 60 * 1000))
    }

    if (told === "open" && !isLost) {
      const sentence = `After ${lives} lives the order is still open: nothing finds out what became of it.`
      violate({ rule: 3, sentence })
    }
    // What a finalizer of a dead process waits for never comes.
    const closing = Effect.runFork(onClock(Scope.close(scope, Exit.void)), {
      scheduler: time.scheduler()
    })
    do yield* time.idle
    while (closing.unsafePoll() === null && time.wakeNext(time.nowMillis() + dayMillis))
    const end = yield* books
    return log.end({ books: end, injection, once: once ?? end, told })
  })

const isTold = (value: unknown): value is judge.Told =>
  value === "paid" || value === "not paid" || value === "open" || value === "review"

const failureOf = ({ cause }: Exit.Failure<unknown, unknown>): string => {
  const error = Cause.squash(cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split("\n", 1).join()
}
