// How a client is driven: it makes calls in lanes, of one call after the other.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Operation } from "../wire/messages.js"

/** Tells a lane whether to go on, and takes down how long each call took. */
export interface Lane {
  readonly more: () => boolean
  /** Takes the moment when the call began, and what it gave. */
  readonly ended: (startedMillis: number, data: unknown) => void
}

/** Makes one call after the other until the lane is over. */
export type Drive = (operation: Operation, lane: Lane) => Promise<void>

/** Sets a client up for a server at a port; gives a text instead if it cannot be tried. */
export type Open = (port: number) => Promise<Drive | string>

type Calls<Call> = Readonly<Record<Operation, Call>>

/** What a client makes of each operation. */
export const forEach = <Call>(make: (operation: Operation) => Call): Calls<Call> => ({
  create: make("create"),
  get: make("get"),
  list: make("list")
})

export const promises =
  (calls: Calls<() => Promise<unknown>>): Drive =>
  async (operation, { ended, more }) => {
    const call = calls[operation]
    while (more()) {
      const startedMillis = performance.now()
      ended(startedMillis, await call())
    }
  }

/** Each lane is a fiber, as it is in a program that is written with Effect. */
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
      return Effect.flatMap(call, (data) => {
        ended(startedMillis, data)
        return next
      })
    })
    return runtime.runPromise(next)
  }
}

/** Fails unless the status is the one that the operation has. */
export const expectStatus = (expected: number, status: number): void => {
  if (status !== expected) throw new Error(`status ${status}`)
}
