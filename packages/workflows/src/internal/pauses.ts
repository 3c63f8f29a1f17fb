import * as DurableClock from "@effect/workflow/DurableClock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Policy from "../Policy.js"
import * as blocks from "./blocks.js"

/** Between half and the whole of a time, so that executions that started together do not wake together. */
export const jitter = (millis: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => Math.max(1, Math.round(millis * (0.5 + random / 2))))

/** The length of a pause of an execution, in milliseconds. */
export const nextMillis = (
  { factor, initial }: Policy.Policy["wait"],
  round: number
): Effect.Effect<number> => jitter(Duration.toMillis(initial) * factor ** round)

/** A pause of an execution, which ends on time in a later life of the process too. */
export const sleep = (name: string, millis: number) =>
  DurableClock.sleep({
    name,
    duration: Duration.millis(millis),
    // A pause in memory would start again after a crash. It must be a duration: Effect takes 0 for its default.
    inMemoryThreshold: Duration.zero
  })

/** Like `sleep`, but an `interrupt` ends it with `ExecutionCancelled`. */
export const unlessCancelled = (run: blocks.Run, name: string, millis: number) =>
  // `Durable.sleep` of 0 is not stored, and never over: a later interrupt would end the body there, before a write in doubt.
  millis <= 0
    ? Effect.void
    : Effect.flatMap(run.isCancelled(name), (isCancelled) =>
        isCancelled ? blocks.cancellation(run) : sleep(name, millis)
      )
