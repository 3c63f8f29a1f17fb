/**
 * Lists the executions of all workflows on the engines of this package, and deletes what is stored of those that
 * have ended. `Operator` operates single ones by key.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Engine from "./Engine.js"
import * as Execution from "./Execution.js"
import * as Store from "./Store.js"

const millisAgo = (age: Duration.DurationInput) =>
  Effect.map(Clock.currentTimeMillis, (now) => now - Duration.toMillis(age))

/**
 * The executions that fit, the oldest first, without their payloads. They are read in pages. A part that is left out
 * selects all. The state is the stored one: for an execution whose process was killed, the state before that.
 *
 * @example
 * import * as Executions from "@manilla/workflow-engine/Executions"
 * import * as Stream from "effect/Stream"
 *
 * // Executions that have waited for more than an hour.
 * const late = Stream.take(Executions.stream({ states: ["Waiting"], minAge: "1 hour" }), 20)
 *
 * @since 0.1.0
 * @category operating
 */
export const stream = ({
  minAge,
  states,
  workflow
}: {
  /** The versioned name of a workflow, such as `DisbursePayout.workflow.name`. */
  readonly workflow?: string | undefined
  /** One of these states. */
  readonly states?: ReadonlyArray<Execution.Status["state"]> | undefined
  /** Started at least this long ago. */
  readonly minAge?: Duration.DurationInput | undefined
} = {}): Stream.Stream<Execution.Status, Execution.StorageError, Engine.Engine> =>
  Effect.gen(function* () {
    const startedBeforeMillis = minAge === undefined ? undefined : yield* millisAgo(minAge)
    return Store.pages(yield* Engine.Engine, { workflow, states, startedBeforeMillis })
  }).pipe(Stream.unwrap, Stream.map(Execution.toStatus))

/**
 * Deletes payloads, results and steps of executions that have ended, and returns their number. A row with the
 * business key, the state and the times remains, so that the key cannot move money again: the service may
 * have forgotten its own key. `start`, `poll` and `await` then fail with `ExecutionPurged`. Without a workflow, signals of
 * this age are deleted too, if nobody has started their execution.
 *
 * @example
 * import * as Executions from "@manilla/workflow-engine/Executions"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schedule from "effect/Schedule"
 *
 * // Deletes what is older than 90 days, every hour, for as long as the program runs.
 * const retention = Executions.purge({ minAge: "90 days" }).pipe(
 *   Effect.ignoreLogged,
 *   Effect.repeat(Schedule.spaced("1 hour")),
 *   Effect.forkScoped,
 *   Layer.scopedDiscard
 * )
 *
 * @since 0.1.0
 * @category operating
 */
export const purge = ({
  minAge,
  states = ["Succeeded"],
  workflow
}: {
  /** Ended at least this long ago. */
  readonly minAge: Duration.DurationInput
  /**
   * By default only `Succeeded`: somebody may still have to look at the error of another execution, such as
   * `OutcomeUnknown`.
   */
  readonly states?: ReadonlyArray<Execution.EndState> | undefined
  readonly workflow?: string | undefined
}): Effect.Effect<number, Execution.StorageError, Engine.Engine> =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const endedBeforeMillis = yield* millisAgo(minAge)
    if (workflow === undefined) yield* engine.forgetSignals(endedBeforeMillis)
    return yield* Store.pages(engine, {
      workflow,
      states,
      endedBeforeMillis,
      isPurged: false
    }).pipe(
      // One that another execution has started is kept until that one has read its end, or ended.
      Stream.mapEffect(
        (execution) =>
          engine.purge(execution).pipe(
            Effect.as(1),
            Effect.catchTag("ExecutionNotEnded", () => Effect.succeed(0))
          ),
        // They share statements.
        { concurrency: 200, unordered: true }
      ),
      Stream.runSum
    )
  })
