import * as DurableClock from "@effect/workflow/DurableClock"
import * as Duration from "effect/Duration"

/** A pause of an execution, which ends on time in a later life of the process too. */
export const pauseFor = (name: string, pauseMillis: number) =>
  DurableClock.sleep({
    name,
    duration: Duration.millis(pauseMillis),
    // A pause in memory would start again after a crash.
    inMemoryThreshold: Duration.zero
  })
