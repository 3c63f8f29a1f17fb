import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Engine from "../../Engine.js"
import type * as Execution from "../../Execution.js"
import { jitter } from "../jitter.js"
import type * as store from "./store.js"

type Listener = Deferred.Deferred<Execution.Execution>

/** The pause between two looks for an end in another process: a tenth of the time already waited. */
const pauseMillis = (waitedMillis: number): number =>
  Math.min(10_000, Math.max(1_000, waitedMillis / 10))

/** Tells those who wait for the end of an execution in this process. */
export const make = (read: store.Store["read"], runsHere: (executionId: string) => boolean) => {
  const listeners = new Map<string, Set<Listener>>()

  const listen = (executionId: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const listener: Listener = Deferred.unsafeMake(FiberId.none)
        const all = listeners.get(executionId) ?? new Set()
        listeners.set(executionId, all.add(listener))
        return listener
      }),
      (listener) =>
        Effect.sync(() => {
          const all = listeners.get(executionId)
          all?.delete(listener)
          if (all?.size === 0) listeners.delete(executionId)
        })
    )

  const untilEnd: Engine.Service["untilEnd"] = (executionId) =>
    Effect.gen(function* () {
      const listener = yield* listen(executionId)
      let isHeard = runsHere(executionId)
      for (let waitedMillis = 0; ; isHeard = false) {
        const found = isHeard ? Option.none() : yield* read(executionId)
        if (Option.isSome(found) && found.value.end !== undefined) return found.value
        const millis = yield* jitter(pauseMillis(waitedMillis))
        const ended = yield* Effect.timeoutOption(Deferred.await(listener), millis)
        if (Option.isSome(ended)) return ended.value
        waitedMillis += millis
      }
    }).pipe(Effect.scoped)

  return {
    untilEnd,
    tell: (ended: Execution.Execution) =>
      listeners
        .get(ended.executionId)
        ?.forEach((listener) => Deferred.unsafeDone(listener, Effect.succeed(ended)))
  }
}
