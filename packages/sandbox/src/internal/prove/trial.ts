/**
 * A run: the lives of a checkout, in processes that die and start again, until nothing changes. And its judgement.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as HashSet from "effect/HashSet"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import type * as Sandbox from "../../Sandbox.js"
import { Interceptor } from "../http/incoming.js"
import * as faults from "./faults.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import * as times from "./time.js"

/** The proof cannot go on. The message has the remedy. */
export class Problem extends Data.TaggedError("Problem")<{ readonly message: string }> {}

/** The notes about a run. */
interface Watch {
  /** Adds a line to the drawing of the run. */
  readonly note: (text: string) => void
  readonly violate: (rule: judge.Rule, sentence: string | undefined) => void
  /** Whether there are too many requests, and the run has to end. */
  readonly isStorm: () => boolean
}

/** The world of a run: in this program, or outside of it with shorter durations. */
export interface World<R> extends Pick<plan.Hooks, "lastsMillis" | "lateMillis"> {
  readonly time: times.Time
  /** How often the checkout is asked in a pause, which ends when its state is final. */
  readonly askMillis: number
  /** The longest pause after a round. */
  readonly pauseMillis: number
  /** When the last round begins. */
  readonly endMillis: number
  /** Whether the logs of the program are printed. */
  readonly logs: boolean
  readonly open: (note: Watch["note"]) => Effect.Effect<Scene<R>, Problem, Scope.Scope>
}

/** A checkout in one run, with its service. */
export interface Scene<R> {
  readonly sandbox: Sandbox.Service
  readonly script: ReadonlyArray<string>
  readonly lives: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
  /** The script of another order. */
  readonly other?: ReadonlyArray<string> | undefined
  readonly told: Effect.Effect<unknown, unknown, R>
  /** The services of a new process, which nothing reaches when it is dead. */
  readonly start: (isAlive: () => boolean) => Effect.Effect<Context.Context<R>, unknown>
  /** Kills what runs outside of this program. */
  readonly kill: Effect.Effect<void>
}

/** A run and its judgement. */
export interface Trial extends Effect.Effect.Success<ReturnType<typeof trial>> {}

/** Without the calm run that is known, it is the calm run. */
export const trial = <R>(run: plan.Run, known: judge.Calm | undefined, world: World<R>) =>
  Effect.gen(function* () {
    const { askMillis, endMillis, pauseMillis, time } = world
    const { unsafeCurrentTimeMillis: nowMillis } = time.clock
    const startMillis = nowMillis()
    const events: Array<{ readonly atMillis: number; readonly text: string }> = []
    const note: Watch["note"] = (text) => void events.push({ atMillis: nowMillis(), text })
    const violations = new Map<judge.Rule, string>()
    const violate: Watch["violate"] = (rule, sentence) => {
      if (sentence !== undefined && !violations.has(rule)) violations.set(rule, sentence)
    }
    const injection = plan.inject(run, {
      ...world,
      note,
      die: Effect.suspend(() => die),
      again: () => again()
    })
    const isStorm = () => {
      violate(5, judge.storm(injection.arrivals, known?.mostPerMinute ?? 10_000))
      return violations.has(5)
    }
    /** Another order. It meets no fault, and nothing of it is judged. */
    const other = { isPaying: false, books: nothing }
    const scene = yield* world.open(note).pipe(
      Effect.provideService(Interceptor, (request) =>
        other.isPaying ? undefined : injection.intercept(request)
      ),
      Effect.withRandom(Random.make("service"))
    )
    const { again, die, live } = yield* processesOf(scene, world, { note, violate, isStorm })

    const read = judge.read(scene.sandbox)
    const books = Effect.map(read, (all) => judge.without(other.books, all))
    const lifeOf = (name: string) => scene.lives[name] ?? Effect.void
    const payOther = Effect.gen(function* () {
      other.isPaying = true
      const before = yield* read
      const untilMillis = nowMillis() + endMillis
      const isPaid = () => other.books.movements.some(({ hasMoved }) => hasMoved)
      for (let round = 0; !isPaid() && nowMillis() < untilMillis; round++) {
        for (const name of scene.other ?? []) yield* live(name, lifeOf(name))
        yield* time.pass(Math.min(1000 * 2 ** round, pauseMillis), () => false)
        other.books = judge.since(before, yield* read)
      }
      other.isPaying = false
      note(`another order was ${isPaid() ? "" : "not "}paid`)
    })
    /** The books when the script had run once. */
    let once: judge.Books | undefined
    const calmOf = (now: judge.Books) => known ?? judge.calmOf(once ?? now)
    let told: judge.Told = "open"
    /** The books are those before the word and those after it. */
    const hear = (how: string, word: judge.Told, before: judge.Books, after: judge.Books) => {
      const text = `${how}: ${word}`
      if (events.at(-1)?.text !== text) note(text)
      violate(2, judge.lie(word, before, after, calmOf(after)))
    }
    const ask = Effect.gen(function* () {
      const before = yield* books
      const [word] = yield* live("told", scene.told)
      told = judge.isTold(word) ? word : "open"
      if (judge.isTold(word)) hear("told", word, before, yield* books)
      return told
    })
    /** Whether nothing can change without a new life. */
    const isCalm = ({ movements }: judge.Books) =>
      told !== "open" &&
      !movements.some(({ isPending }) => isPending) &&
      injection.isOver(nowMillis())

    let lives = 0
    for (let round = 0; ; round++) {
      const before: judge.Told = told
      for (const [index, name] of scene.script.entries()) {
        lives++
        const fault = injection.begin(name, nowMillis())
        if (fault === faults.anotherOrder) yield* payOther
        note(`${name} starts`)
        const next = scene.script[(index + 1) % scene.script.length] ?? name
        const beside = fault === faults.twoLives ? [name] : fault === faults.nextLife ? [next] : []
        for (const word of yield* live(name, lifeOf(name), beside.map(lifeOf))) {
          if (!judge.isTold(word)) continue
          const now = yield* books
          hear(`${name} tells`, word, now, now)
        }
        yield* ask
      }
      once ??= yield* books
      const until = nowMillis() + Math.min(1000 * 2 ** round, pauseMillis)
      do {
        yield* time.pass(Math.min(until - nowMillis(), askMillis), isStorm)
      } while (nowMillis() < until && !isStorm() && (yield* ask) === "open")
      const now = yield* books
      const moved = now.movements.filter(({ hasMoved }) => hasMoved)
      const isTwice = judge.movedTwice({ ...now, movements: moved }, calmOf(now)) !== undefined
      if (isTwice || isStorm() || (told === before && isCalm(now))) break
      if (nowMillis() - startMillis > endMillis) {
        const still = `After ${lives} lives the order is still open: nothing finds out what became of it.`
        if (told === "open") violate(3, still)
        break
      }
    }
    const end = yield* books
    violate(1, judge.movedTwice(end, calmOf(end)))
    violate(4, judge.sharedKey(end, other.books))
    violate(4, judge.changedKey(end, calmOf(end)))
    return {
      run,
      told: told as judge.Told,
      events,
      once,
      exchanges: end.exchanges,
      places: injection.places,
      /** Whether all its faults happened. */
      isReached: injection.isReached(),
      violations: [...violations].sort().map(([rule, sentence]) => ({ rule, sentence }))
    }
  }).pipe(
    Effect.scoped,
    Effect.withClock(world.time.clock),
    Effect.ensuring(Effect.sync(world.time.restore))
  )

const nothing: judge.Books = { movements: [], exchanges: [] }

interface Process<R> {
  isAlive: boolean
  /** It starts with its first life. */
  readonly context: Effect.Effect<Context.Context<R>, unknown>
}

/** How long a life may take, and how long it may wait in real time, such as for a query of the store. */
const [longestMillis, patienceMillis] = [24 * 60 * 60 * 1000, 5000]

const processesOf = <R>(
  { kill, start }: Scene<R>,
  { logs, time }: World<R>,
  { isStorm, note, violate }: Watch
) => {
  let processes: Array<Process<R>> = []
  let current: Scene<R>["told"] = Effect.void
  let started = 0
  const newProcess = () => {
    const context = Effect.runSync(Effect.cached(start(() => process.isAlive)))
    const process: Process<R> = { isAlive: true, context }
    processes.push(process)
    return process
  }
  const launch = (process: Process<R>, life = current) => {
    const provided = Effect.flatMap(process.context, (context) =>
      Effect.provide(life, context)
    ).pipe(
      Effect.withRandom(Random.make(`process ${started++}`)),
      logs ? identity : Effect.locally(FiberRef.currentLoggers, HashSet.empty())
    )
    const fiber = times.fork(time, provided, () => process.isAlive)
    return { fiber, isOver: () => fiber.unsafePoll() !== null || !process.isAlive }
  }
  let running: Array<ReturnType<typeof launch>> = []
  const again = () => void running.push(launch(newProcess()))
  const die = Effect.map(kill, () => {
    for (const process of processes) process.isAlive = false
    processes = []
    time.forget()
    note("the process dies")
  })
  /** Runs a life, and others beside it, until they have ended or their processes are dead. Returns their results. */
  const live = (name: string, life: typeof current, beside: ReadonlyArray<typeof current> = []) =>
    Effect.gen(function* () {
      current = life
      running = [launch(processes[0] ?? newProcess())]
      for (const one of beside) running.push(launch(newProcess(), one))
      const hasEnded = () => running.every(({ isOver }) => isOver())
      const isOver = () => hasEnded() || isStorm()
      const ends = yield* time.pass(longestMillis, isOver, patienceMillis)
      if (!ends) violate(3, `The life “${name}” does not end.`)
      if (!hasEnded()) yield* die
      return yield* Effect.forEach(running, ({ fiber }) => resultOf(name, fiber.unsafePoll()))
    })
  const resultOf = (name: string, exit: Exit.Exit<unknown, unknown> | null) => {
    if (exit === null || Exit.isSuccess(exit)) return Effect.succeed(exit?.value)
    const error = Cause.squash(exit.cause)
    if (error instanceof Problem) return Effect.fail(error)
    const text = error instanceof Error ? error.message || error.name : String(error)
    note(`${name} fails with ${text.split("\n", 1).join()}`)
    return Effect.void
  }
  const stop = Effect.sync(() => {
    for (const { fiber } of running) fiber.unsafeInterruptAsFork(FiberId.none)
  })
  return Effect.as(
    Effect.addFinalizer(() => stop),
    { again, die, live }
  )
}
