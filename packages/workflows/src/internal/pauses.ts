import * as DurableClock from "@effect/workflow/DurableClock"
import type * as Body from "@manilla/workflow-engine/Body"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Policy from "../Policy.js"

/** Between half and the whole of a time, so that executions that started together do not wake together. */
export const jitter = (millis: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => Math.max(1, Math.round(millis * (0.5 + random / 2))))

/** The length of a pause of an execution, in milliseconds. */
export const nextMillis = (
  { factor, initial }: Policy.Policy["wait"],
  round: number
): Effect.Effect<number> => jitter(Duration.toMillis(initial) * factor ** round)

/** A durable pause. */
export const sleep = (name: string, millis: number) =>
  DurableClock.sleep({
    name,
    duration: Duration.millis(millis),
    // In memory, a pause would start again after a crash. Not 0: Effect takes that for its default of 60 seconds.
    inMemoryThreshold: Duration.zero
  })

/** Like `sleep`, but an `interrupt` ends it with `ExecutionCancelled`. */
export const unlessCancelled = (run: Body.Run, name: string, millis: number) =>
  // Effect stores no pause of 0. A later run would not know that this one had gone on, and would let an interrupt end it here,
  // before a write that may be in doubt by then.
  millis <= 0 ? Effect.void : Effect.zipRight(run.failIfCancelled(name), sleep(name, millis))
