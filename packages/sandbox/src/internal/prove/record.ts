/**
 * The record of a run while it happens, and its judgement at the end.
 */
import * as judge from "./judge.js"
import type * as plan from "./plan.js"
import type * as report from "./report.js"

export interface Trial extends report.Trial {
  readonly places: ReadonlyArray<plan.Place>
  /** The books when the script had run once. */
  readonly once: judge.Books
}

interface End {
  readonly injection: plan.Injection
  readonly books: judge.Books
  readonly once: judge.Books
  readonly told: judge.Told
}

/** Without the calm run, it is the record of the calm run. */
export const make = (run: plan.Run, known: judge.Calm | undefined, nowMillis: () => number) => {
  const events: Array<report.Event> = []
  const violations: Array<judge.Violation> = []
  const note = (text: string, tone: report.Event["tone"] = "") =>
    void events.push({ atMillis: nowMillis(), text, tone })
  /** Adds a violation, unless there is one of its rule. */
  const violate = ({ rule, sentence }: judge.Violation) => {
    if (!violations.some((one) => one.rule === rule)) violations.push({ rule, sentence })
  }
  const most = known?.mostPerMinute ?? 10_000
  const isStorm = ({ arrivals }: plan.Injection): boolean => {
    const found = judge.isStorm(arrivals, most)
    if (found) violate(judge.storm(most))
    return found
  }
  return {
    note,
    violate,
    /** Notes what somebody was told, and judges it by the books before and after. */
    hear: (told: judge.Told, how: string, before: judge.Books, after: judge.Books) => {
      const lies = judge.lie(told, before, after, known ?? judge.calmOf(after))
      const text = `${how}: ${told}`
      if (events.at(-1)?.text !== text) note(text, lies.length > 0 ? "bad" : "")
      lies.forEach(violate)
    },
    isStorm,
    /** Whether the run cannot get worse: money has moved twice, or there is a storm. */
    isLost: (injection: plan.Injection, books: judge.Books): boolean => {
      const movements = books.movements.filter(({ hasMoved }) => hasMoved)
      const isTwice =
        known !== undefined && judge.movedTwice({ ...books, movements }, known).length > 0
      return isTwice || isStorm(injection)
    },
    /** Whether nothing can change any more without a new life. */
    isCalm: (told: judge.Told, injection: plan.Injection, { movements }: judge.Books): boolean =>
      told !== "open" &&
      movements.every(({ hasMoved, kind }) => hasMoved || kind === "payment link") &&
      injection.held() === 0 &&
      injection.isOver(nowMillis()),
    end: ({ books, injection, once, told }: End): Trial => {
      const calm = known ?? judge.calmOf(once)
      judge.movedTwice(books, calm).forEach(violate)
      judge.changedKeys(books.exchanges, calm).forEach(violate)
      return {
        run,
        isReached: injection.isReached(),
        places: injection.places,
        told,
        violations: violations.sort((a, b) => a.rule - b.rule),
        events,
        exchanges: books.exchanges,
        once
      }
    }
  }
}
