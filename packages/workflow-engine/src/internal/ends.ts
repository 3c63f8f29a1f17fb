import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Engine from "../Engine.js"
import type * as Execution from "../Execution.js"
import type * as engineStore from "./engineStore.js"

/** The pause between two looks for an end in another process: a tenth of the time already waited. */
const pauseMillis = (waitedMillis: number): number =>
  Math.min(10_000, Math.max(1_000, waitedMillis / 10))

/** Tells those who wait for the end of an execution in this process. */
export const make = (
  read: engineStore.EngineStore["read"],
  runsHere: (executionId: string) => boolean
) => {
  type Heard = Option.Option<Execution.Execution>
  const listeners = new Map<string, Set<(heard: Heard) => void>>()

  /** The end of an execution, or none when a run of it here has ended without one. */
  const heard = (executionId: string, isListening = () => true) =>
    Effect.async<Heard>((resume) => {
      if (!isListening()) return resume(Effect.succeedNone)
      const listener = (heard: Heard) => resume(Effect.succeed(heard))
      const all = listeners.get(executionId) ?? new Set()
      listeners.set(executionId, all.add(listener))
      return Effect.sync(() => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(executionId)
      })
    })

  const look = (executionId: string, millis: number) =>
    Effect.flatMap(read(executionId), (found) =>
      Option.exists(found, ({ end }) => end !== undefined)
        ? Effect.succeed(found)
        : Effect.delay(Effect.succeedNone, millis)
    )

  const untilEnd: Engine.Service["untilEnd"] = (executionId) =>
    Effect.gen(function* () {
      // While it runs here, no look is necessary.
      let ended: Heard = yield* heard(executionId, () => runsHere(executionId))
      for (let waitedMillis = 0; Option.isNone(ended);) {
        const pause = pauseMillis(waitedMillis)
        // A random time spreads the looks of fibers that began to wait together.
        const millis = yield* Random.nextIntBetween(pause / 2, pause)
        ended = yield* Effect.raceFirst(heard(executionId), look(executionId, millis))
        waitedMillis += millis
      }
      return ended.value
    })

  return {
    untilEnd,
    tell: (executionId: string, heard: Heard) => {
      listeners.get(executionId)?.forEach((listener) => listener(heard))
      listeners.delete(executionId)
    }
  }
}
