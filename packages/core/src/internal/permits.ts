/**
 * A limit on what runs at once, first come first served.
 *
 * Not Effect's semaphore: each release of one permit wakes all that wait for one, which is quadratic
 * in their number. Ten thousand waits must be ordinary.
 */
import * as Effect from "effect/Effect"

export interface Permits {
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

  /** Waits for a permit, and gives back one that comes together with an interruption. */
  const wait = Effect.suspend(() => {
    let own: Waiter | undefined
    return Effect.async<void>((resume) => {
      own = { state: "waiting", resume }
      queue.push(own)
    }).pipe(
      Effect.onInterrupt(() => {
        const granted = own?.state === "granted"
        if (own !== undefined) own.state = "gone"
        return granted ? release : Effect.void
      })
    )
  })

  return {
    withPermit: (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          if (free === 0) return restore(wait)
          free--
          return Effect.void
        }).pipe(Effect.zipRight(Effect.ensuring(restore(effect), release)))
      )
  }
}
