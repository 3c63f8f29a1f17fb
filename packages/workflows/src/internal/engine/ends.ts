import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Engine from "../../Engine.js"
import type * as Execution from "../../Execution.js"
import { jitter } from "../pauses.js"
import type * as store from "./store.js"

/** The pause between two looks for an end in another process: a tenth of the time already waited. */
const pauseMillis = (waitedMillis: number): number =>
  Math.min(10_000, Math.max(1_000, waitedMillis / 10))

/** Tells those who wait for the end of an execution in this process. */
export const make = (read: store.Store["read"], runsHere: (executionId: string) => boolean) => {
  const listeners = new Map<string, Set<(ended: Execution.Execution) => void>>()

  const heard = (executionId: string) =>
    Effect.async<Execution.Execution>((resume) => {
      const listener = (ended: Execution.Execution) => resume(Effect.succeed(ended))
      const all = listeners.get(executionId) ?? new Set()
      listeners.set(executionId, all.add(listener))
      return Effect.sync(() => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(executionId)
      })
    })

  const looked = (executionId: string) =>
    Effect.gen(function* () {
      let isHeard = runsHere(executionId)
      for (let waitedMillis = 0; ; isHeard = false) {
        const found = isHeard ? Option.none() : yield* read(executionId)
        if (Option.isSome(found) && found.value.end !== undefined) return found.value
        const millis = yield* jitter(pauseMillis(waitedMillis))
        yield* Effect.sleep(millis)
        waitedMillis += millis
      }
    })

  const untilEnd: Engine.Service["untilEnd"] = (executionId) =>
    Effect.raceFirst(heard(executionId), looked(executionId))

  return {
    untilEnd,
    tell: (ended: Execution.Execution) => {
      listeners.get(ended.executionId)?.forEach((listener) => listener(ended))
      listeners.delete(ended.executionId)
    }
  }
}
