/**
 * Operates the executions of a workflow on the engines of this package, by key.
 *
 * @since 0.1.0
 */
import type * as Workflow from "@effect/workflow/Workflow"
import * as Issues from "@manilla/core/Issues"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Engine from "./Engine.js"
import * as Execution from "./Execution.js"
import { readEnd, readPayload } from "./internal/codecs.js"
import { isStorable } from "./Text.js"

type NotFound = Execution.ExecutionNotFound | Execution.StorageError
type Unreadable = NotFound | Execution.UnreadablePayload

/**
 * The operations on the executions of one workflow. A key is the member `key` of a payload; without one, it is the
 * id of the execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operator<in Payload, out A, out E> {
  /**
   * Starts an execution, and returns its id once it is stored: from then on it continues in every later life of
   * the process. With the same payload it may be called again, and changes nothing.
   */
  readonly start: (payload: Payload) => Effect.Effect<string, Execution.StartError>

  /** The state of an execution, its times, and the pause that it is in. */
  readonly status: (key: string) => Effect.Effect<Execution.Status, Unreadable>

  /** The end of an execution, or none while it goes on. */
  readonly poll: (
    key: string
  ) => Effect.Effect<Option.Option<Exit.Exit<A, E>>, Unreadable | Execution.ExecutionPurged>

  /**
   * Waits for the end of an execution. The wait is in memory, and ends with the process. It hears at once of an end
   * in this process. For one in another, it looks each second, then less often the longer it has waited, and at
   * least every 10 seconds.
   */
  readonly await: (key: string) => Effect.Effect<A, E | Unreadable | Execution.ExecutionPurged>

  /**
   * Ends the pause of an execution now, so that it carries on or looks at its resource at once. It changes
   * nothing while an activity runs, or after the end.
   */
  readonly resume: (key: string) => Effect.Effect<void, NotFound>

  /**
   * Asks an execution to end: a body of blocks with `ExecutionCancelled`, and any other one with an interrupt when it next
   * waits. Before the request of a write has left, nothing is created. If its outcome is unknown, the execution first
   * continues to a known one. A look that is under way ends first, within a minute by default. A resource that exists
   * continues at the service. A body of blocks that waits for a signal, or for an execution that it has started, hears
   * of it after that: interrupt that execution too.
   */
  readonly interrupt: (key: string) => Effect.Effect<void, NotFound>

  /**
   * Deletes the payload, the result and the steps of an execution that has ended, such as at the request of the
   * person whose data they are. The key stays taken, as after `Executions.purge`, whatever the state. After an
   * earlier purge it changes nothing.
   */
  readonly purge: (key: string) => Effect.Effect<void, NotFound | Execution.ExecutionNotEnded>
}

/**
 * The operations on the executions of a workflow. Effect's own `execute`, `poll`, `interrupt` and `resume` do the
 * same by the id of an execution; the errors of `start` are defects there.
 *
 * @example
 * import * as Workflow from "@effect/workflow/Workflow"
 * import * as Operator from "@manilla/workflow-engine/Operator"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Greet = Workflow.make({
 *   name: "Greet/1",
 *   payload: { key: Schema.String },
 *   idempotencyKey: ({ key }) => key
 * })
 *
 * const program = Effect.gen(function* () {
 *   const greetings = yield* Operator.of(Greet)
 *   yield* greetings.start({ key: "Awa" })
 *   return yield* greetings.await("Awa")
 * })
 *
 * @since 0.1.0
 * @category operating
 */
export const of = <
  Name extends string,
  P extends Workflow.AnyStructSchema,
  A extends Schema.Schema.Any,
  E extends Schema.Schema.All
>(
  workflow: Workflow.Workflow<Name, P, A, E>
): Effect.Effect<Operator<P["Type"], A["Type"], E["Type"]>, never, Engine.Engine> =>
  Effect.map(Engine.Engine, (engine) => {
    type Operations = Operator<P["Type"], A["Type"], E["Type"]>
    const { name } = workflow
    const issuesOf = Issues.validator(Schema.typeSchema(workflow.payloadSchema))

    /** An execution that a step of another one starts is not a part of that one. */
    const start = (payload: P["Type"]): ReturnType<Operations["start"]> =>
      Effect.suspend(() => workflow.executionId(payload)).pipe(
        Effect.catchAllDefect((defect) => {
          const issues = issuesOf(payload)
          const businessKey = Execution.keyIn(payload) ?? ""
          return issues.length === 0
            ? Effect.die(defect)
            : Effect.fail(new Execution.InvalidPayload({ workflow: name, businessKey, issues }))
        }),
        Effect.tap((executionId) => engine.start(workflow, executionId, payload))
      )

    const found = (businessKey: string) => {
      const named = { workflow: name, businessKey }
      const stored = isStorable(businessKey) ? engine.find(named) : Effect.succeedNone
      return Effect.catchTag(
        Effect.flatten(stored),
        "NoSuchElementException",
        () => new Execution.ExecutionNotFound(named)
      )
    }
    const readable = (key: string) =>
      Effect.tap(found(key), (execution) =>
        execution.end === undefined ? readPayload(workflow, execution) : Effect.void
      )

    const operator: Operations = {
      start,
      status: (key) => Effect.map(readable(key), Execution.toStatus),
      poll: (key) =>
        Effect.flatMap(readable(key), (execution) =>
          execution.end === undefined
            ? Effect.succeedNone
            : Effect.asSome(readEnd(workflow, execution))
        ),
      await: (key) =>
        Effect.gen(function* () {
          const execution = yield* readable(key)
          const hasEnded = execution.end !== undefined
          const ended = hasEnded ? execution : yield* engine.untilEnd(execution.executionId)
          return yield* yield* readEnd(workflow, ended)
        }),
      resume: (key) => Effect.flatMap(found(key), ({ executionId }) => engine.resume(executionId)),
      interrupt: (key) =>
        Effect.flatMap(found(key), ({ executionId }) => engine.interrupt(executionId)),
      purge: (key) => Effect.flatMap(found(key), engine.purge)
    }
    return operator
  })
