/**
 * A limit on what runs at once, first come first served.
 *
 * Not Effect's semaphore: each release of one permit wakes all that wait for one, which is quadratic
 * in their number. Ten thousand waits must be ordinary.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface Permits {
  /** Whether a permit can be had at once. */
  readonly isFree: () => boolean
  readonly withPermit: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Waiter {
  state: "waiting" | "granted" | "gone"
  readonly resume: (granted: Effect.Effect<void>) => void
}

export const make = (permits: number): Permits => {
  let free = permits
  /** In the order in which they came; those before `head` have been served. */
  let queue: Array<Waiter> = []
  let head = 0

  const next = (): Waiter | undefined => {
    while (head < queue.length) {
      const waiter = queue[head++]
      if (head > 1024 && head * 2 > queue.length) {
        queue = queue.slice(head)
        head = 0
      }
      if (waiter?.state === "waiting") return waiter
    }
    return undefined
  }

  const release = Effect.sync(() => {
    const waiter = next()
    if (waiter === undefined) {
      free++
      return
    }
    waiter.state = "granted"
    waiter.resume(Effect.void)
  })

  return {
    isFree: () => free > 0,
    withPermit: (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const work = Effect.ensuring(restore(effect), release)
          if (free > 0) {
            free--
            return work
          }
          let own: Waiter | undefined
          const wait = Effect.async<void>((resume) => {
            own = { state: "waiting", resume }
            queue.push(own)
          })
          // Whatever ends the wait, what happens next is decided where nothing interrupts: a permit
          // that comes in the step of an interruption is given back.
          return Effect.flatMap(Effect.exit(restore(wait)), (waited) => {
            if (Exit.isSuccess(waited)) return work
            const granted = own?.state === "granted"
            if (own !== undefined) own.state = "gone"
            const gone = Effect.failCause(waited.cause)
            return granted ? Effect.zipRight(release, gone) : gone
          })
        })
      )
  }
}
