/** The health check of a runner. */
import * as Effect from "effect/Effect"

const text = (port: number) =>
  Effect.tryPromise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`)
    return `${answer.status} ${await answer.text()}`
  })

/** Waits until the check answers this, also while nobody listens yet. */
export const until = (port: number, expected: string) =>
  Effect.option(text(port)).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: (found) => found._tag === "Some" && found.value === expected })
  )
