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
  readonly resume: (effect: Effect.Effect<void>) => void
}

export const make = (permits: number): Permits => {
  let free = permits
  let queue: Array<Waiter> = []
  let head = 0

  const release = Effect.sync(() => {
    for (; head < queue.length; head++) {
      const next = queue[head]
      if (next?.state !== "waiting") continue
      head++
      next.state = "granted"
      next.resume(Effect.void)
      return
    }
    queue = []
    head = 0
    free++
  })

  const acquire = Effect.suspend(() => {
    if (free > 0) {
      free--
      return Effect.void
    }
    let waiter: Waiter | undefined
    return Effect.async<void>((resume) => {
      waiter = { state: "waiting", resume }
      queue.push(waiter)
    }).pipe(
      Effect.onInterrupt(() => {
        const granted = waiter?.state === "granted"
        if (waiter !== undefined) waiter.state = "gone"
        return granted ? release : Effect.void
      })
    )
  })

  return {
    withPermit: (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(restore(acquire), Effect.ensuring(restore(effect), release))
      )
  }
}
