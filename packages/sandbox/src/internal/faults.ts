/**
 * The queue of pending faults.
 */
import * as Effect from "effect/Effect"
import type * as Fault from "../Fault.js"

export interface Queue extends Fault.Faults {
  /** Takes the fault that applies to a request, if any. */
  readonly take: (operation: string | undefined) => Effect.Effect<Fault.Fault | undefined>
}

export const make = (): Queue => {
  let waiting: ReadonlyArray<{ readonly fault: Fault.Fault; readonly left: number }> = []
  return {
    add: (...faults) =>
      Effect.sync(() => {
        const added = faults.map((fault) => ({ fault, left: fault.times ?? 1 }))
        waiting = [...waiting, ...added.filter(({ left }) => left >= 1)]
      }),
    clear: Effect.sync(() => {
      waiting = []
    }),
    pending: Effect.sync(() => waiting.map(({ fault, left }) => ({ ...fault, times: left }))),
    take: (operation) =>
      Effect.sync(() => {
        const met = waiting.find(
          ({ fault }) => fault.operation === undefined || fault.operation === operation
        )
        if (met === undefined) return undefined
        waiting = waiting.flatMap((one) =>
          one !== met ? [one] : one.left > 1 ? [{ ...one, left: one.left - 1 }] : []
        )
        return met.fault
      })
  }
}
