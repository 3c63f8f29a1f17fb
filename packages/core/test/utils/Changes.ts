/**
 * Waits for a condition on a test server. The condition is checked on each event of the server, without
 * polling.
 */
import * as Effect from "effect/Effect"

export interface Changes {
  /** Reports an event. */
  readonly tell: () => void
  /** Completes when the condition holds. */
  readonly until: (condition: () => boolean) => Effect.Effect<void>
}

/** The test fails after this time. It is long enough for a busy machine. */
const limitMillis = 30_000

export const make = (): Changes => {
  const looks = new Set<() => void>()
  return {
    tell: () => looks.forEach((look) => look()),
    until: (condition) =>
      Effect.async<void>((resume) => {
        const look = () => {
          if (condition()) end(Effect.void)
        }
        const end = (result: Effect.Effect<void>) => {
          looks.delete(look)
          clearTimeout(limit)
          resume(result)
        }
        const limit = setTimeout(
          () => end(Effect.dieMessage("the condition never held")),
          limitMillis
        )
        looks.add(look)
        look()
        return Effect.sync(() => {
          looks.delete(look)
          clearTimeout(limit)
        })
      })
  }
}
