/** The limit of concurrent reads that all waits share. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * A FIFO semaphore. Effect's semaphore wakes all waiters at each release, which is quadratic and too slow
 * for 10,000 waits.
 */
export interface Permits {
  /** Whether a permit is available. */
  readonly isFree: () => boolean
  readonly withPermit: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Waiter {
  state: "waiting" | "granted" | "gone"
  readonly resume: (granted: Effect.Effect<void>) => void
}

export const make = (permits: number): Permits => {
  let free = permits
  /** Waiters in order of arrival; those before `head` are done. */
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
          let waiter: Waiter | undefined
          const wait = Effect.async<void>((resume) => {
            waiter = { state: "waiting", resume }
            queue.push(waiter)
          })
          // Uninterruptible from here: a permit that is granted during an interruption is released.
          return Effect.flatMap(Effect.exit(restore(wait)), (waited) => {
            if (Exit.isSuccess(waited)) return work
            const granted = waiter?.state === "granted"
            if (waiter !== undefined) waiter.state = "gone"
            const gone = Effect.failCause(waited.cause)
            return granted ? Effect.zipRight(release, gone) : gone
          })
        })
      )
  }
}
