/**
 * A proof: its runs, one after another. And a run: the lives of the script, until nothing changes.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Exchange } from "../../Exchange.js"
import type * as Sandbox from "../../Sandbox.js"
import type * as faults from "./faults.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"

/** The proof cannot go on. The message has the remedy. */
export class Problem extends Data.TaggedError("Problem")<{ readonly message: string }> {}

/** Something that happened beside the requests: a life starts, a buyer is told. */
export interface Event {
  readonly atMillis: number
  readonly text: string
  readonly tone: "" | "bad"
}

/** A run and its judgement. */
export interface Trial {
  readonly run: plan.Run
  /** Whether all its faults happened. */
  readonly isReached: boolean
  readonly told: judge.Told
  readonly violations: ReadonlyArray<judge.Violation>
  readonly events: ReadonlyArray<Event>
  readonly exchanges: ReadonlyArray<Exchange>
}

/** A trial without the calm run is the calm run. */
export interface Calm extends Trial {
  readonly places: ReadonlyArray<plan.Place>
  /** The books when the script had run once. */
  readonly once: judge.Books
}

/** What a subject sees of its run. */
export interface Watch {
  readonly note: (text: string, tone?: Event["tone"]) => void
  readonly violate: (violation: judge.Violation) => void
  readonly intercept: plan.Injection["intercept"]
  /** Whether the run has failed, and nothing more has to happen. */
  readonly isStorm: () => boolean
}

/** A checkout in one run, with its sandbox. */
export interface Subject<E> {
  readonly sandbox: Sandbox.Service
  readonly script: ReadonlyArray<string>
  /** Runs a life, or two at once, to its end. Returns what it told. */
  readonly live: (life: string, isTwice: boolean) => Effect.Effect<ReadonlyArray<unknown>, E>
  /** Asks what the checkout says about the order. */
  readonly told: Effect.Effect<unknown, E>
  /** Lets time pass after a round. It may ask meanwhile. */
  readonly pass: (round: number, ask: Effect.Effect<judge.Told, E>) => Effect.Effect<void, E>
  /** Whether there are no more rounds. */
  readonly isOver: (round: number) => boolean
  readonly die: Effect.Effect<void>
  readonly again: () => void
}

export const trial = <E, E2, R>(
  run: plan.Run,
  known: judge.Calm | undefined,
  timing: faults.Timing,
  make: (watch: Watch) => Effect.Effect<Subject<E>, E2, R>
): Effect.Effect<Calm, E | E2, R> =>
  Effect.gen(function* () {
    const { unsafeCurrentTimeMillis: nowMillis } = yield* Effect.clock
    const events: Array<Event> = []
    const violations: Array<judge.Violation> = []
    const note: Watch["note"] = (text, tone = "") =>
      void events.push({ atMillis: nowMillis(), text, tone })
    const violate: Watch["violate"] = (violation) => {
      if (!violations.some(({ rule }) => rule === violation.rule)) violations.push(violation)
    }
    const injection = plan.inject(run, timing, {
      die: Effect.suspend(() => subject.die),
      again: () => subject.again(),
      note
    })
    const { arrivals, held, intercept } = injection
    const most = known?.mostPerMinute ?? 10_000
    const isStorm = () => {
      const isOne = judge.isStorm(arrivals, most)
      const sentence = `More than ${most} requests were sent within a minute.`
      if (isOne) violate({ rule: 5, sentence })
      return isOne
    }
    const subject = yield* make({ note, violate, intercept, isStorm })
    const books = Effect.suspend(() => judge.read(subject.sandbox, held()))
    const hear = (told: judge.Told, how: string, before: judge.Books, after: judge.Books) => {
      const sentence = judge.lie(told, before, after, known ?? judge.calmOf(after))
      const text = `${how}: ${told}`
      if (events.at(-1)?.text !== text) note(text, sentence === undefined ? "" : "bad")
      if (sentence !== undefined) violate({ rule: 2, sentence })
    }
    let told: judge.Told = "open"
    const ask = Effect.gen(function* () {
      const before = yield* books
      const answer = yield* subject.told
      told = judge.isTold(answer) ? answer : "open"
      if (judge.isTold(answer)) hear(answer, "told", before, yield* books)
      return told
    })
    /** Whether nothing can change without a new life. */
    const isCalm = ({ movements }: judge.Books) =>
      told !== "open" &&
      movements.every(({ hasMoved, kind }) => hasMoved || kind === "payment link") &&
      held() === 0 &&
      injection.isOver(nowMillis())
    const isTwice = ({ exchanges, movements, onTheirWay }: judge.Books) => {
      const moved = movements.filter(({ hasMoved }) => hasMoved)
      const moves = { exchanges, movements: moved, onTheirWay }
      return known !== undefined && judge.movedTwice(moves, known).length > 0
    }

    let lives = 0
    let once: judge.Books | undefined
    for (let round = 0; ; round++) {
      const before: judge.Told = told
      for (const life of subject.script) {
        lives++
        note(`${life} starts`)
        for (const word of yield* subject.live(life, injection.begin(life))) {
          const now = yield* books
          if (judge.isTold(word)) hear(word, `${life} tells`, now, now)
        }
        yield* ask
      }
      const now = yield* books
      once ??= now
      if (isTwice(now) || isStorm()) break
      if (round > 0 && told === before && isCalm(now)) break
      if (subject.isOver(round)) {
        const sentence = `After ${lives} lives the order is still open: nothing finds out what became of it.`
        if (told === "open") violate({ rule: 3, sentence })
        break
      }
      yield* subject.pass(round, ask)
    }
    const end = yield* books
    const calm = known ?? judge.calmOf(once)
    judge.movedTwice(end, calm).forEach(violate)
    const sentence = judge.changedKey(end.exchanges, calm)
    if (sentence !== undefined) violate({ rule: 4, sentence })
    violations.sort((a, b) => a.rule - b.rule)
    const isReached = injection.isReached()
    const { exchanges } = end
    return { run, isReached, places: injection.places, told, violations, events, exchanges, once }
  })

export interface Proof {
  readonly seed: number
  readonly tookMillis: number
  readonly calm: Trial
  /** Without the calm run. */
  readonly trials: ReadonlyArray<Trial>
}

export interface ProofOptions<E> {
  readonly pairs: number
  readonly seed: number
  readonly inProcess: boolean
  /** Only this run. */
  readonly run: number | undefined
  readonly trial: (run: plan.Run, known: judge.Calm | undefined) => Effect.Effect<Calm, E>
  /** Why a calm run is no start for a proof. */
  readonly problem: (calm: Trial) => string | undefined
  /** Called before each run but the calm one, with the runs that are done and the number of all runs. */
  readonly onRun?: (run: plan.Run, done: ReadonlyArray<Trial>, all: number) => Effect.Effect<void>
}

export const prove = <E>(options: ProofOptions<E>): Effect.Effect<Proof, E | Problem> =>
  Effect.gen(function* () {
    const { onRun = () => Effect.void, run, seed } = options
    // Virtual time may have replaced all other clocks.
    const startMillis = performance.now()
    const calm = yield* options.trial({ number: 0, troubles: [] }, undefined)
    const message = options.problem(calm)
    if (message !== undefined) return yield* new Problem({ message })
    const runs = calm.violations.length > 0 ? [] : plan.runsOf(calm.places, options)
    const chosen = runs.filter(({ number }) => run === undefined || run === number)
    if (run !== undefined && run > 0 && chosen.length === 0) {
      return yield* new Problem({
        message: `There is no run ${run}: the last one is ${runs.length}. Choose another number.`
      })
    }
    const trials: Array<Trial> = []
    for (const one of chosen) {
      yield* onRun(one, trials, chosen.length)
      const done = yield* options.trial(one, judge.calmOf(calm.once))
      // Hundreds of passed runs would fill the memory.
      const isKept = done.violations.length > 0 || run !== undefined
      trials.push(isKept ? done : { ...done, events: [], exchanges: [] })
    }
    return { calm, trials, seed, tookMillis: performance.now() - startMillis }
  })
