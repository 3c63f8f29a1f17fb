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

type Waiter = (granted: Effect.Effect<void>) => void

export const make = (permits: number): Permits => {
  let free = permits
  /** In the order in which they came. */
  const waiting = new Set<Waiter>()

  const release = Effect.sync(() => {
    const [next] = waiting
    if (next === undefined) {
      free++
      return
    }
    waiting.delete(next)
    next(Effect.void)
  })

  /** Waits for a permit, and gives back one that comes together with an interruption. */
  const wait = Effect.suspend(() => {
    let own: Waiter | undefined
    return Effect.async<void>((resume) => {
      own = resume
      waiting.add(resume)
    }).pipe(
      Effect.onInterrupt(() => (own === undefined || waiting.delete(own) ? Effect.void : release))
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
