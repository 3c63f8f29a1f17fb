/**
 * The runs of a proof: each fault at each request of a calm run, then pairs of them. And the injection of their
 * faults into a sandbox.
 */
import { unsafeGet } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Utils from "effect/Utils"
import type { Intercept } from "../http/incoming.js"
import * as faults from "./faults.js"

/** A request: the nth of its operation in a run. Or a life of the script: the nth of its name. */
export interface Place {
  readonly operation: string
  /** 0 is the next one after the other fault of its run. */
  readonly nth: number
}

interface Trouble extends Place {
  readonly kind: faults.Kind
}

export interface Run {
  /** 0 is the calm run. */
  readonly number: number
  readonly troubles: ReadonlyArray<Trouble>
}

/** After each of the first ones, each of the others: a refusal does not tell what became of a lost request. */
const firsts = /^(response lost for a time|death after)$/
const sequels = /^(no connection|unprocessable|forbidden) for a time$/

export interface Options {
  readonly pairs: number
  readonly seed: number
  readonly inProcess: boolean
}

export const runsOf = (
  places: ReadonlyArray<Place>,
  { inProcess, pairs, seed }: Options
): ReadonlyArray<Run> => {
  const kinds = faults.kinds.filter((kind) => inProcess || !faults.isInProcess(kind))
  const singles = places.flatMap((place) =>
    kinds.filter(({ fits }) => fits(place.operation)).map((kind): Trouble => ({ ...place, kind }))
  )
  const inOrder = singles
    .filter(({ kind, operation }) => faults.isWrite(operation) && firsts.test(kind.name))
    .flatMap((first) =>
      kinds
        .filter(({ name }) => sequels.test(name))
        .map((kind) => [first, { ...first, nth: 0, kind }])
    )
  const random = new Utils.PCGRandom(seed)
  const drawn = () => unsafeGet(singles, random.integer(singles.length))
  const drawnPairs = Array.from({ length: pairs }, () => {
    const [first, second] = [drawn(), drawn()]
    const isSame = first.operation === second.operation && first.nth === second.nth
    return [first, random.integer(2) === 0 || isSame ? { ...second, nth: 0 } : second]
  })
  return [...singles.map((one) => [one]), ...inOrder, ...drawnPairs].map((troubles, index) => ({
    number: index + 1,
    troubles
  }))
}

const ordinals = new Intl.PluralRules("en", { type: "ordinal" })
const ends: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }

const wordsOf = ({ kind, nth, operation }: Trouble): string =>
  `${nth === 0 ? "next" : `${nth}${ends[ordinals.select(nth)] ?? "th"}`} ${operation}: ${kind.name}`

/** Such as `2nd Payments.get: rate limited`. */
export const words = ({ troubles }: Run): string => troubles.map(wordsOf).join(", ") || "no fault"

export interface Hooks extends faults.Hooks {
  /** Tells that a fault begins, in words. */
  readonly note: (text: string) => void
}

export const inject = ({ troubles }: Run, timing: faults.Timing, { note, ...hooks }: Hooks) => {
  /** The requests that arrived and the lives, and when the requests arrived. */
  const places: Array<Place> = []
  const arrivals: Array<number> = []
  /** The end of each fault that was reached. */
  const ends = new Map<Trouble, number>()

  /** The fault at a place. */
  const meet = (operation: string, nowMillis: number): Trouble | undefined => {
    const nth = places.filter((one) => one.operation === operation).length + 1
    places.push({ operation, nth })
    const isOver = (one: Trouble) => (ends.get(one) ?? Infinity) <= nowMillis
    const met = troubles.find((one) => {
      if (!one.kind.fits(operation) || isOver(one)) return false
      if (ends.has(one)) return faults.lasts(one.kind)
      const isNext = () => troubles.every((other) => other === one || isOver(other))
      return one.operation === operation && (one.nth === nth || (one.nth === 0 && isNext()))
    })
    if (met !== undefined && !ends.has(met)) {
      note(wordsOf({ ...met, nth }))
      ends.set(met, nowMillis + faults.millisOf(met.kind, timing))
    }
    return met
  }

  const intercept: Intercept = ({ course, emulation, nowMillis, operation }) => {
    arrivals.push(nowMillis)
    const kind = meet(operation, nowMillis)?.kind
    if (kind === undefined) return undefined
    const { name } = kind
    course.fault = { name, answersInstead: true }
    return (process) =>
      kind.meet({ ...hooks, ...timing, course, emulation })(
        Effect.suspend(() => {
          course.fault = { name, answersInstead: false }
          return process
        })
      )
  }

  return {
    intercept,
    places,
    arrivals,
    /** A life begins. Returns whether it runs twice at once. */
    begin: (life: string) => meet(life, 0) !== undefined,
    isReached: () => troubles.every((one) => ends.has(one)),
    /** Whether nothing more comes of the faults that were reached. */
    isOver: (nowMillis: number) => [...ends.values()].every((end) => end <= nowMillis)
  }
}
