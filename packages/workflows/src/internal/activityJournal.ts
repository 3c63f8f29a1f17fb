import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as activity from "./activity.js"
import type { Journal, Permit } from "./journal.js"

const Beginning = Schema.Struct({ atMillis: Schema.Number })

/**
 * The journal on any engine, in activities. That a round is about to begin is the result of one. If a later run
 * finds that result, the request may have been sent. `interrupt` is the engine's own.
 */
export const make: Effect.Effect<Journal, never, WorkflowEngine.WorkflowInstance> = Effect.map(
  WorkflowEngine.WorkflowInstance,
  ({ executionId }) => {
    /** When the first round of a write began. */
    const since = new Map<string, number>()
    return {
      key: executionId,
      permit: (name, { isDoubtful, round, sentMillis }, run) =>
        Effect.gen(function* () {
          let isFirst = false
          const { atMillis } = yield* activity.make({
            name: `begin/${name}/${round}`,
            success: Beginning,
            error: Schema.Never,
            execute: Effect.map(Clock.currentTimeMillis, (atMillis) => {
              isFirst = true
              return { atMillis }
            })
          })
          const sinceMillis = sentMillis ?? since.get(name) ?? atMillis
          since.set(name, sinceMillis)
          return Effect.map(Clock.currentTimeMillis, (now): Permit => {
            const isAgain = !isFirst
            isFirst = false
            const isOld = now - sinceMillis > Duration.toMillis(run.policy.carryOn.deadline)
            return (isAgain || isDoubtful) && isOld
              ? { _tag: "Expired" }
              : { _tag: "Granted", begins: 1, isAgain }
          })
        }),
      // The engine runs an activity once at a time.
      refuse: () => Effect.succeed(true),
      isCancelled: () => Effect.succeed(false)
    }
  }
)
