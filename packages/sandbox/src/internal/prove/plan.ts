/**
 * The runs of a proof: each fault at each request of a calm run, then pairs of them. And the injection of their
 * faults into a sandbox.
 */
import * as Utils from "effect/Utils"
import type { Intercept } from "../http/incoming.js"
import * as faults from "./faults.js"

/** A request: the nth of its operation in a run. Or a life of the script: the nth of its name. */
export interface Place {
  readonly operation: string
  readonly nth: number
}

export interface Trouble extends Place {
  /** 0 is the next one after the other fault of its run. */
  readonly nth: number
  /** A name in `faults.kinds`. */
  readonly kind: string
}

export interface Run {
  /** 0 is the calm run. */
  readonly number: number
  readonly troubles: ReadonlyArray<Trouble>
}

export const calm: Run = { number: 0, troubles: [] }

/** After each of the first ones, each of the others: a refusal does not tell what became of a lost request. */
const sequels = {
  first: ["responses lost for a time", "death after"],
  next: ["refusal for a time", "no connection for a time", "lost credentials"]
} as const

export const runsOf = (
  places: ReadonlyArray<Place>,
  options: { readonly pairs: number; readonly seed: number; readonly inProcess: boolean }
): ReadonlyArray<Run> => {
  const singles = places.flatMap(({ nth, operation }) =>
    Object.entries(faults.kinds)
      .filter(([, { fits, inProcess }]) => fits(operation) && (options.inProcess || !inProcess))
      .map(([kind]): Trouble => ({ operation, nth, kind }))
  )
  const isSingle = (kind: string) => singles.some((trouble) => trouble.kind === kind)
  const after = places
    .filter(({ operation }) => faults.isWrite(operation))
    .flatMap((place) =>
      sequels.first.flatMap((first) =>
        sequels.next.filter(isSingle).map((next): ReadonlyArray<Trouble> => [
          { ...place, kind: first },
          { ...place, kind: next, nth: 0 }
        ])
      )
    )
  const random = new Utils.PCGRandom(options.seed)
  const drawn = () => singles[random.integer(singles.length)]
  const pairs = Array.from({ length: options.pairs }, () => {
    const [first, second] = [drawn(), drawn()]
    if (first === undefined || second === undefined) return []
    const isSame = first.operation === second.operation && first.nth === second.nth
    return [first, isSame || random.integer(2) === 0 ? { ...second, nth: 0 } : second]
  })
  return [...singles.map((trouble) => [trouble]), ...after, ...pairs].map((troubles, index) => ({
    number: index + 1,
    troubles
  }))
}

const ordinal = (nth: number) => {
  if (nth === 0) return "next"
  const ends = ["th", "st", "nd", "rd"]
  const end = Math.floor((nth % 100) / 10) === 1 ? undefined : ends[nth % 10]
  return `${nth}${end ?? "th"}`
}

/** Such as `the 2nd Payments.get gets 429`. */
export const words = ({ troubles }: Run): string =>
  troubles.length === 0 ? "no fault" : troubles.map(wordsOf).join(", and then ")

const wordsOf = ({ kind, nth, operation }: Trouble): string =>
  `the ${ordinal(nth)} ${operation} ${faults.kinds[kind]?.words ?? kind}`

export interface Injection {
  readonly intercept: Intercept
  /** A life begins. Returns whether it runs twice at once. */
  readonly begin: (life: string) => boolean
  /** The requests that arrived and the lives, and when the requests arrived. */
  readonly places: ReadonlyArray<Place>
  readonly arrivals: ReadonlyArray<number>
  readonly isReached: () => boolean
  /** Whether faults can still happen. */
  readonly isOver: (nowMillis: number) => boolean
  /** The number of writes that are on their way, whether or not somebody waits for them. */
  readonly held: () => number
}

export interface Hooks extends Pick<faults.Met, "again" | "die"> {
  /** Tells that a fault begins, in words. */
  readonly note: (text: string) => void
}

export const inject = (
  { troubles }: Run,
  timing: faults.Timing,
  { again, die, note }: Hooks
): Injection => {
  const counts = new Map<string, number>()
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
    const met = troubles.find((trouble) => {
      const kind = faults.kinds[trouble.kind]
      if (kind === undefined || !kind.fits(operation)) return false
      const end = ends.get(trouble)
      if (end !== undefined) return nowMillis < end
      const isDue =
        trouble.nth === 0
          ? troubles.every(
              (other) => other === trouble || (ends.get(other) ?? Infinity) <= nowMillis
            )
          : trouble.nth === nth
      return trouble.operation === operation && isDue
    })
    if (met !== undefined && !ends.has(met)) {
      note(wordsOf({ ...met, nth }))
      const { lasts = false } = faults.kinds[met.kind] ?? {}
      ends.set(met, lasts ? nowMillis + timing.lastsMillis : nowMillis)
    }
    return met
  }

  return {
    places,
    arrivals,
    begin: (life) => meet(life, 0) !== undefined,
    isReached: () => troubles.every((trouble) => ends.has(trouble)),
    isOver: (nowMillis) => [...ends.values()].every((end) => end <= nowMillis),
    held: () => held,
    intercept: ({ emulation, nowMillis, operation }) => {
      arrivals.push(nowMillis)
      const met = meet(operation, nowMillis)
      const kind = met && faults.kinds[met.kind]
      if (kind === undefined || met === undefined) return undefined
      const hold = () => {
        if (!faults.isWrite(operation)) return () => {}
        held++
        return () => void held--
      }
      return {
        name: met.kind,
        answersInstead: kind.instead ?? false,
        meet: (process) => kind.meet(process, { ...timing, operation, emulation, hold, die, again })
      }
    }
  }
}
