import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Engine from "../../Engine.js"
import { jitter } from "../jitter.js"

/** The pause between two looks for an end in another process: a tenth of the time already waited. */
const pauseMillis = (waitedMillis: number): number =>
  Math.min(10_000, Math.max(1_000, waitedMillis / 10))

/** Tells those who wait for the end of an execution in this process. */
export const make = () => {
  const listeners = new Map<string, Set<Effect.Latch>>()

  const listen = (executionId: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const latch = Effect.unsafeMakeLatch()
        const all = listeners.get(executionId) ?? new Set()
        listeners.set(executionId, all.add(latch))
        return latch
      }),
      (latch) =>
        Effect.sync(() => {
          const all = listeners.get(executionId)
          all?.delete(latch)
          if (all?.size === 0) listeners.delete(executionId)
        })
    )

  const untilEnd: Engine.Service["untilEnd"] = (executionId, look) =>
    Effect.gen(function* () {
      const ended = yield* listen(executionId)
      for (let waitedMillis = 0; ;) {
        const found = yield* look
        if (Option.isSome(found)) return found.value
        const millis = yield* jitter(pauseMillis(waitedMillis))
        yield* Effect.timeoutOption(ended.await, millis)
        waitedMillis += millis
      }
    }).pipe(Effect.scoped)

  return {
    untilEnd,
    tell: (executionId: string) =>
      listeners.get(executionId)?.forEach((latch) => latch.unsafeOpen())
  }
}
