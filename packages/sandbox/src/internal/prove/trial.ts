/**
 * A run: the lives of the script, until nothing changes.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Intercept } from "../http/incoming.js"
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

/** The parts of a run that its subject uses. */
export interface Watch {
  readonly intercept: Intercept
  readonly note: (text: string, tone?: Event["tone"]) => void
  readonly violate: (rule: judge.Rule, sentence: string | undefined) => void
  /** Whether there are too many requests, and the run has to end. */
  readonly isStorm: () => boolean
}

/** A checkout in one run, with its sandbox. */
export interface Subject extends faults.Hooks {
  readonly sandbox: Sandbox.Service
  readonly script: ReadonlyArray<string>
  /** Runs a life, or two at once, to its end. Returns what it told. */
  readonly live: (life: string, isTwice: boolean) => Effect.Effect<ReadonlyArray<unknown>, Problem>
  /** Asks what the checkout says about the order. */
  readonly told: Effect.Effect<unknown, Problem>
  /** Lets time pass after a round, and may ask meanwhile. */
  readonly pass: (
    round: number,
    ask: Effect.Effect<judge.Told, Problem>
  ) => Effect.Effect<unknown, Problem>
  /** Whether there are no more rounds. */
  readonly isOver: (round: number) => boolean
}

/** A run and its judgement. */
export interface Trial extends Effect.Effect.Success<ReturnType<typeof trial>> {}

/** Without the calm run that is known, it is the calm run. */
export const trial = <R>(
  run: plan.Run,
  known: judge.Calm | undefined,
  timing: faults.Timing,
  make: (watch: Watch) => Effect.Effect<Subject, Problem, R>
) =>
  Effect.gen(function* () {
    const { unsafeCurrentTimeMillis: nowMillis } = yield* Effect.clock
    const events: Array<Event> = []
    const violations = new Map<judge.Rule, string>()
    const note: Watch["note"] = (text, tone = "") =>
      void events.push({ atMillis: nowMillis(), text, tone })
    const violate: Watch["violate"] = (rule, sentence) => {
      if (sentence !== undefined && !violations.has(rule)) violations.set(rule, sentence)
    }
    const injection = plan.inject(run, timing, {
      note,
      die: Effect.suspend(() => subject.die),
      again: () => subject.again()
    })
    const isStorm = () => {
      violate(5, judge.storm(injection.arrivals, known?.mostPerMinute ?? 10_000))
      return violations.has(5)
    }
    const subject = yield* make({ note, violate, isStorm, intercept: injection.intercept })
    const books = judge.read(subject.sandbox)
    let told: judge.Told = "open"
    const hear = (how: string, word: unknown, before: judge.Books, after: judge.Books) => {
      if (!judge.isTold(word)) return "open"
      const lie = judge.lie(word, before, after, known ?? judge.calmOf(after))
      const text = `${how}: ${word}`
      if (events.at(-1)?.text !== text) note(text, lie === undefined ? "" : "bad")
      violate(2, lie)
      return word
    }
    const ask = Effect.gen(function* () {
      const before = yield* books
      const word = yield* subject.told
      told = hear("told", word, before, yield* books)
      return told
    })
    /** Whether nothing can change without a new life. */
    const isCalm = ({ movements }: judge.Books) =>
      told !== "open" &&
      movements.every(({ hasMoved, kind }) => hasMoved || kind === "payment link") &&
      injection.isOver(nowMillis())
    const hasMovedTwice = (now: judge.Books, calm: judge.Calm) => {
      const movements = now.movements.filter(({ hasMoved }) => hasMoved)
      return judge.movedTwice({ ...now, movements }, calm) !== undefined
    }

    let lives = 0
    /** The books when the script had run once. */
    let once: judge.Books | undefined
    for (let round = 0; ; round++) {
      const before: judge.Told = told
      for (const life of subject.script) {
        lives++
        note(`${life} starts`)
        for (const word of yield* subject.live(life, injection.begin(life))) {
          const now = yield* books
          hear(`${life} tells`, word, now, now)
        }
        yield* ask
      }
      const now = yield* books
      once ??= now
      if (hasMovedTwice(now, known ?? judge.calmOf(once)) || isStorm()) break
      if (round > 0 && told === before && isCalm(now)) break
      if (subject.isOver(round)) {
        const still = `After ${lives} lives the order is still open: nothing finds out what became of it.`
        if (told === "open") violate(3, still)
        break
      }
      yield* subject.pass(round, ask)
    }
    const end = yield* books
    const calm = known ?? judge.calmOf(once)
    violate(1, judge.movedTwice(end, calm))
    violate(4, judge.changedKey(end, calm))
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
  })
