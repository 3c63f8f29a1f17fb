import * as Effect from "effect/Effect"

/** An owner of a batch: in its epoch, no other process changes the items, so a lost write may be repeated. */
export interface Owner {
  readonly batchKey: string
  readonly epoch: number
  readonly concurrency: number
  /** The batches of a process look at their handed-over items in turns. */
  readonly turns: Effect.Semaphore
}

/** Logs a defect, and runs the effect again: if a batch ended because of it, its other items would never be sent. */
export const afterDefects =
  (where: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllDefect(effect, (defect) =>
      Effect.zipRight(
        Effect.logError(`A defect in ${where}`, defect),
        Effect.delay(afterDefects(where)(effect), "1 second")
      )
    )
