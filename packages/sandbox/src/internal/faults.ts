/**
 * The queue of pending faults.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Utils from "effect/Utils"
import type * as Fault from "../Fault.js"

/** The parts of a request that select its fault. */
export interface Selector {
  readonly operation: string | undefined
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The JSON of the body; `undefined` if it is not JSON. */
  readonly body: () => unknown
}

export interface Queue extends Fault.Faults {
  /** Takes the fault that applies to a request, if any. */
  readonly take: (request: Selector) => Effect.Effect<Fault.Fault | undefined>
}

interface Waiting extends Fault.Pending {
  readonly random: Utils.PCGRandom
}

export const make = (): Queue => {
  let waiting: ReadonlyArray<Waiting> = []
  let count = 0

  const register: Queue["register"] = (fault) =>
    Effect.sync(() => {
      const added = {
        id: `fault-${++count}`,
        fault,
        remaining: fault.times ?? 1,
        random: new Utils.PCGRandom(fault.seed ?? 0)
      }
      if (added.remaining >= 1) waiting = [...waiting, added]
      return pendingOf(added)
    })

  return {
    add: (...faults) => Effect.forEach(faults, register, { discard: true }),
    register,
    remove: (id) =>
      Effect.sync(() => {
        const before = waiting.length
        waiting = waiting.filter((one) => one.id !== id)
        return waiting.length < before
      }),
    clear: Effect.sync(() => {
      waiting = []
    }),
    pending: Effect.sync(() => waiting.map(pendingOf)),
    take: (request) =>
      Effect.sync(() => {
        const met = waiting.find(
          ({ fault, random }) =>
            selects(fault, request) &&
            (fault.probability === undefined || random.number() < fault.probability)
        )
        if (met === undefined) return undefined
        waiting = waiting.flatMap((one) => {
          if (one !== met) return [one]
          return one.remaining > 1 ? [{ ...one, remaining: one.remaining - 1 }] : []
        })
        return met.fault
      })
  }
}

const pendingOf = ({ fault, id, remaining }: Waiting): Fault.Pending => ({ id, fault, remaining })

const selects = (
  { field, header, operation }: Fault.Target,
  { body, headers, operation: requested }: Selector
): boolean => {
  if (operation !== undefined && operation !== requested) return false
  if (header !== undefined) {
    const given = headers[header.name.toLowerCase()]
    if (given === undefined || (header.value !== undefined && given !== header.value)) return false
  }
  return field === undefined || valueAt(body(), field.name) === field.value
}

/** The value at a path such as `payer.phone_number`. */
const valueAt = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (Predicate.hasProperty(value, name) ? value[name] : undefined),
      json
    )
