/**
 * The runs of a proof: each fault at each request of a calm run, then pairs of them. And the injection of their
 * faults into a sandbox.
 */
import * as Array from "effect/Array"
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
  /** A name in `faults.kinds`. */
  readonly kind: string
}

export interface Run {
  /** 0 is the calm run. */
  readonly number: number
  readonly troubles: ReadonlyArray<Trouble>
}

/** After each of the first ones, each of the others: a refusal does not tell what became of a lost request. */
const firsts = ["answer lost for a time", "death after"]
const sequels = ["refused for a time", "no connection for a time", "forbidden for a time"]

export const runsOf = (
  places: ReadonlyArray<Place>,
  options: { readonly pairs: number; readonly seed: number; readonly inProcess: boolean }
): ReadonlyArray<Run> => {
  const kinds = Object.entries(faults.kinds).filter(
    ([, { inProcess }]) => options.inProcess || !inProcess
  )
  const at = (place: Place, of = kinds.map(([kind]) => kind)): ReadonlyArray<Trouble> =>
    kinds.flatMap(([kind, { fits }]) =>
      of.includes(kind) && fits(place.operation) ? [{ ...place, kind }] : []
    )
  const singles = places.flatMap((place) => at(place))
  const inOrder = places
    .filter(({ operation }) => faults.isWrite(operation))
    .flatMap((place) =>
      at(place, firsts).flatMap((first) =>
        at({ ...place, nth: 0 }, sequels).map((next) => [first, next])
      )
    )
  const random = new Utils.PCGRandom(options.seed)
  const drawn = () => Array.unsafeGet(singles, random.integer(singles.length))
  const pairs = Array.makeBy(options.pairs, () => {
    const [first, second] = [drawn(), drawn()]
    const isSame = first.operation === second.operation && first.nth === second.nth
    return [first, random.integer(2) === 0 || isSame ? { ...second, nth: 0 } : second]
  })
  return [...singles.map((one) => [one]), ...inOrder, ...pairs].map((troubles, index) => ({
    number: index + 1,
    troubles
  }))
}

const ordinals = new Intl.PluralRules("en", { type: "ordinal" })
const ends: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }

const wordsOf = ({ kind, nth, operation }: Trouble): string =>
  `${nth === 0 ? "next" : `${nth}${ends[ordinals.select(nth)] ?? "th"}`} ${operation}: ${kind}`

/** Such as `2nd Payments.get: rate limited`. */
export const words = ({ troubles }: Run): string => troubles.map(wordsOf).join(", ") || "no fault"

export interface Hooks extends Pick<Parameters<faults.Kind["meet"]>[1], "again" | "die"> {
  /** Tells that a fault begins, in words. */
  readonly note: (text: string) => void
}

export interface Injection extends ReturnType<typeof inject> {}

export const inject = ({ troubles }: Run, timing: faults.Timing, hooks: Hooks) => {
  const counts = new Map<string, number>()
  /** The requests that arrived and the lives, and when the requests arrived. */
  const places: Array<Place> = []
  const arrivals: Array<number> = []
  /** The end of each fault that was reached. */
  const ends = new Map<Trouble, number>()
  let held = 0

  /** The fault at a place. */
  const meet = (operation: string, nowMillis: number): Trouble | undefined => {
    const nth = (counts.get(operation) ?? 0) + 1
    counts.set(operation, nth)
    places.push({ operation, nth })
    const isOver = (one: Trouble) => (ends.get(one) ?? Infinity) <= nowMillis
    const met = troubles.find((one) => {
      if (!faults.kinds[one.kind]?.fits(operation) || isOver(one)) return false
      if (ends.has(one)) return true
      const isDue =
        one.nth === 0 ? troubles.every((other) => other === one || isOver(other)) : one.nth === nth
      return one.operation === operation && isDue
    })
    if (met !== undefined && !ends.has(met)) {
      hooks.note(wordsOf({ ...met, nth }))
      ends.set(met, nowMillis + (faults.kinds[met.kind]?.lasts ? timing.lastsMillis : 0))
    }
    return met
  }

  const intercept: Intercept = ({ emulation, nowMillis, operation }) => {
    arrivals.push(nowMillis)
    const met = meet(operation, nowMillis)
    const kind = met && faults.kinds[met.kind]
    if (kind === undefined || met === undefined) return undefined
    const { lateMillis } = timing
    const weight = faults.isWrite(operation) ? 1 : 0
    const hold = () => {
      held += weight
      return () => void (held -= weight)
    }
    return {
      name: met.kind,
      answersInstead: kind.instead ?? false,
      meet: (process) => kind.meet(process, { ...hooks, operation, emulation, lateMillis, hold })
    }
  }

  return {
    intercept,
    places,
    arrivals,
    /** A life begins. Returns whether it runs twice at once. */
    begin: (life: string) => meet(life, 0) !== undefined,
    isReached: () => troubles.every((one) => ends.has(one)),
    /** Whether no fault that was reached can still happen. */
    isOver: (nowMillis: number) => [...ends.values()].every((end) => end <= nowMillis),
    /** The number of writes that are on their way, whether or not somebody waits for them. */
    held: () => held
  }
}
