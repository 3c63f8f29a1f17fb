/**
 * A condition on a server, looked at whenever something has happened there: it is waited for without a
 * clock.
 */
import * as Effect from "effect/Effect"

export interface Changes {
  /** Says that something has happened. */
  readonly tell: () => void
  /** Ends as soon as the condition holds. */
  readonly until: (condition: () => boolean) => Effect.Effect<void>
}

/** A limit for what never happens, generous to a busy machine: the test then fails with these words. */
const limitMillis = 10_000

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
        const limit = setTimeout(() => end(Effect.dieMessage("it never came true")), limitMillis)
        looks.add(look)
        look()
        return Effect.sync(() => {
          looks.delete(look)
          clearTimeout(limit)
        })
      })
  }
}
