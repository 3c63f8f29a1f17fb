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

/** A fault at its place. */
interface Trouble extends Place {
  readonly fault: faults.Fault
}

export interface Run {
  /** 0 is the calm run. */
  readonly number: number
  readonly troubles: ReadonlyArray<Trouble>
}

/** After each of the first ones, each of the others: a refusal does not tell what became of a lost request. */
const firsts = new Set(["response lost for a time", "death after"])
const sequels = new Set([
  "no connection for a time",
  "unprocessable for a time",
  "forbidden for a time",
  "rate limited",
  "token revoked"
])

export interface Options {
  readonly pairs: number
  readonly seed: number
  readonly inProcess: boolean
  /** Whether a run can have another order. */
  readonly hasOthers: boolean
}

export const runsOf = (
  places: ReadonlyArray<Place>,
  { hasOthers, inProcess, pairs, seed }: Options
): ReadonlyArray<Run> => {
  const lives = new Set(places.map(({ operation }) => operation).filter(faults.isLife))
  const all = faults.faults.filter(
    (fault) => (inProcess || !fault.inProcess) && (lives.size > 1 || fault !== faults.nextLife)
  )
  const singles = places.flatMap((place) =>
    all.filter(({ fits }) => fits(place.operation)).map((fault): Trouble => ({ ...place, fault }))
  )
  const lost = singles.filter(
    ({ fault, operation }) => faults.isWrite(operation) && firsts.has(fault.name)
  )
  const following = all.filter(({ name }) => sequels.has(name))
  const failed = singles.find(({ fault }) => fault.name === "fails")
  const mixedUp = singles.find(
    ({ fault, operation }) => fault === faults.mixedUp && !faults.isWrite(operation)
  )
  /** Another order, before a life. */
  const other = (life: Place | undefined): Trouble | undefined =>
    hasOthers && life ? { ...life, fault: faults.anotherOrder } : undefined
  const otherFirst = other(places[0])
  const lifeAfter = (start: Place) =>
    places
      .slice(places.findIndex((place) => isSamePlace(place, start)))
      .find(({ operation }) => faults.isLife(operation))
  const lifeAfterFailed = failed && lifeAfter(failed)
  /** Those whose parts the calm run has. */
  const combinations: ReadonlyArray<ReadonlyArray<Trouble | undefined>> = [
    ...lost.flatMap((first) => following.map((fault) => [first, { ...first, nth: 0, fault }])),
    // A response or a payment of somebody else does not pay for an order whose own payment fails.
    [failed, mixedUp && { ...mixedUp, nth: 0 }],
    [otherFirst],
    [otherFirst, failed],
    // Only once it has failed: until then, nobody could tell its key from those of the other order.
    [failed, lifeAfterFailed && other({ ...lifeAfterFailed, nth: 0 })]
  ]
  const random = new Utils.PCGRandom(seed)
  const drawnFrom = (start: number) =>
    unsafeGet(singles, start + random.integer(singles.length - start))
  const drawnPairs = Array.from({ length: pairs }, () => {
    const first = drawnFrom(0)
    // After the first fault, an earlier place of the calm run may never come again.
    const start = singles.findIndex((one) => isSamePlace(one, first))
    return [first, { ...drawnFrom(start), nth: 0 }]
  })
  return [...singles.map((one) => [one]), ...combinations, ...drawnPairs]
    .filter((troubles) => troubles.every((one) => one !== undefined))
    .map((troubles, index) => ({ number: index + 1, troubles }))
}

const isSamePlace = (one: Place, other: Place) =>
  one.operation === other.operation && one.nth === other.nth

const ordinals = new Intl.PluralRules("en", { type: "ordinal" })
const ends: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }

const wordsOf = ({ fault, nth, operation }: Trouble): string =>
  `${nth === 0 ? "next" : `${nth}${ends[ordinals.select(nth)] ?? "th"}`} ${operation}: ${fault.name}`

/** Such as `2nd Payments.get: rate limited`. */
export const words = ({ troubles }: Run): string => troubles.map(wordsOf).join(", ") || "no fault"

/** Whether a run has this number, or these words. In real time, another proof may give it another number. */
export const isNamed = (run: Run, name: string): boolean =>
  String(run.number) === name || words(run) === name

export interface Hooks extends faults.Hooks {
  /** Tells that a fault begins, in words. */
  readonly note: (text: string) => void
  /** How long a fault “for a time” lasts. */
  readonly lastsMillis: number
}

export const inject = ({ troubles }: Run, { lastsMillis, note, ...hooks }: Hooks) => {
  /** The requests that arrived and the lives, and when the requests arrived. */
  const places: Array<Place> = []
  const arrivals: Array<number> = []
  /** The end of each fault that was reached. */
  const ends = new Map<Trouble, number>()
  const isOver = (one: Trouble, nowMillis: number) => (ends.get(one) ?? Infinity) <= nowMillis
  /** How long something may come of a fault. */
  const millisOf = { moment: 0, lasting: lastsMillis, late: hooks.lateMillis }

  /** The fault at a place. */
  const meet = (operation: string, nowMillis: number): faults.Fault | undefined => {
    const nth = places.filter((one) => one.operation === operation).length + 1
    places.push({ operation, nth })
    const met = troubles.find((one) => {
      if (!one.fault.fits(operation) || isOver(one, nowMillis)) return false
      if (ends.has(one)) return one.fault.span === "lasting"
      const isNext = () => troubles.every((other) => other === one || isOver(other, nowMillis))
      return one.operation === operation && (one.nth === nth || (one.nth === 0 && isNext()))
    })
    if (met !== undefined && !ends.has(met)) {
      note(wordsOf({ ...met, nth }))
      ends.set(met, nowMillis + millisOf[met.fault.span])
    }
    return met?.fault
  }

  const intercept: Intercept = ({ course, emulation, nowMillis, operation }) => {
    arrivals.push(nowMillis)
    const fault = meet(operation, nowMillis)
    if (fault === undefined) return undefined
    const { name } = fault
    course.fault = { name, answersInstead: true }
    return (process) =>
      fault.meet({ ...hooks, course, emulation })(
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
    /** A life begins. Returns its fault. */
    begin: (life: string, nowMillis: number) => meet(life, nowMillis),
    isReached: () => troubles.every((one) => ends.has(one)),
    /** Whether nothing more comes of the faults that were reached. */
    isOver: (nowMillis: number) => [...ends.values()].every((end) => end <= nowMillis)
  }
}
