import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as Body from "@manilla/workflow-engine/Body"
import { exitCodec } from "@manilla/workflow-engine/Encoding"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Own, Run } from "./blocks.js"

interface Options<A, I, E, EI, R> {
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly error: Schema.Schema<E, EI>
  readonly execute: Effect.Effect<A, E, R>
}

const mostAttempts = 10

/**
 * Repeats what was interrupted although its execution goes on, such as a request whose client is about to close: the
 * `interruptRetryPolicy` of an activity.
 */
const completed = <A, E, R>(
  name: string,
  execute: Effect.Effect<A, E, R>,
  attempt = 1
): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.flatMap(Effect.exit(execute), (exit) => {
    // A part that fails interrupts those beside it: that is a failure.
    if (Exit.isSuccess(exit) || !Cause.isInterruptedOnly(exit.cause)) return Effect.succeed(exit)
    if (attempt === mostAttempts) return Effect.succeed(Exit.die(`${name} was interrupted`))
    return Effect.delay(completed(name, execute, attempt + 1), 100 * 1.5 ** attempt)
  })

/** Takes a result from the store, or stores it: a later run of the body reads it. */
const kept = <A, I, E, EI, R>(
  { key, workflow }: Run,
  steps: NonNullable<Run["steps"]>,
  { error, execute, name: step, success }: Options<A, I, E, EI, R>
) => {
  // As an activity in its first attempt.
  const name = `${step}/1`
  const { fromJson, store } = exitCodec(success, error)
  const read = (exit: string) =>
    Effect.catchAll(fromJson(exit), (cause) => steps.unreadable(name, cause))
  const end = Effect.gen(function* () {
    const known = yield* steps.find(name)
    if (known !== undefined) return yield* read(known)
    const subject = `${workflow}: the result of "${step}" of ${key}`
    // Read as a later run reads it: a member that is not stored must not reach a request.
    const { exit, json } = yield* store(subject, yield* completed(name, execute))
    const counts = yield* steps.keep(name, json)
    return counts === json ? exit : yield* read(counts)
  })
  // A pause beside it does not suspend the body before the result is stored.
  return Workflow.wrapActivityResult(Effect.flatten(end), () => false)
}

/** A part that fails interrupts those beside it: an activity would take that for its own interrupt, and begin again. */
const withoutParts = <E>(cause: Cause.Cause<E>) =>
  Effect.failCause(
    Cause.isInterruptedOnly(cause)
      ? cause
      : Cause.filter(cause, (one) => !Cause.isInterruptType(one))
  )

/**
 * Runs an effect, and stores its result. On an engine of `@manilla/workflow-engine` it is not an `Activity`, whose fiber
 * and schedule cost more than the rest of a step.
 */
export const run = <A, I, E, EI, R>(
  run: Run,
  options: Options<A, I, E, EI, R>
): Effect.Effect<A, E, Own<R> | Body.InExecution> => {
  const inStep = Effect.provideService(options.execute, Body.InStepOf, run.executionId)
  if (run.steps === undefined) {
    return Activity.make({ ...options, execute: Effect.catchAllCause(inStep, withoutParts) })
  }
  // Every block needs an execution, and so does this one whatever the effect needs.
  const execute = Effect.scoped(inStep) as Effect.Effect<A, E, Own<R> | Body.InExecution>
  const traced = Effect.withSpan(execute, options.name, { captureStackTrace: false })
  return kept(run, run.steps, { ...options, execute: traced })
}

/** Stores a value of the first run of a body. */
export const note = <A, I>(
  run: Run,
  options: Options<A, I, never, never, never>
): Effect.Effect<A, never, Body.InExecution> =>
  run.steps === undefined ? Activity.make(options) : kept(run, run.steps, options)
