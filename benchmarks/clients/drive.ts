// Drives a client in lanes, each of which makes sequential calls.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Operation } from "../messages.js"

/** The control of a lane: whether to continue, and a record of each call. */
export interface Lane {
  readonly more: () => boolean
  /** Records a call by its start time. */
  readonly ended: (startedMillis: number) => void
}

/** Makes sequential calls until the lane ends. */
export type Drive = (operation: Operation, lane: Lane) => Promise<void>

/** Creates a client for a server port. */
export type Open = (port: number) => Promise<Drive>

type Calls<Call> = Readonly<Record<Operation, Call>>

export const promises =
  (calls: Calls<() => Promise<unknown>>): Drive =>
  async (operation, { ended, more }) => {
    const call = calls[operation]
    while (more()) {
      const startedMillis = performance.now()
      await call()
      ended(startedMillis)
    }
  }

/** Runs each lane as a fiber, as an Effect program would. */
export const effects = async <R, E>(
  layer: Layer.Layer<R, E>,
  make: Effect.Effect<Calls<Effect.Effect<unknown, unknown, R>>, unknown, R>
): Promise<Drive> => {
  const runtime = ManagedRuntime.make(Layer.orDie(layer))
  const calls = await runtime.runPromise(make)
  return (operation, { ended, more }) => {
    const call = calls[operation]
    const next: Effect.Effect<void, unknown, R> = Effect.suspend(() => {
      if (!more()) return Effect.void
      const startedMillis = performance.now()
      return Effect.flatMap(call, () => {
        ended(startedMillis)
        return next
      })
    })
    return runtime.runPromise(next)
  }
}
