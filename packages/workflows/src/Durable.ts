/**
 * Building blocks for the body of any `Workflow`, on any engine. A body is an Effect that calls only blocks and
 * activities: each stores its result, so a later life of the process replays the body up to where it was.
 *
 * Rules for a body:
 *
 * - It calls blocks one after another. Start an execution each for what should run concurrently: a block in a
 *   `DurableDeferred.raceAll` or `into` dies.
 * - Everything that reads or changes the world, the clock and random numbers included, happens in a block.
 * - Each block has a name of its own. A loop puts its index into the names.
 * - A changed body gets a new name, such as `Shop/SendGift/2`. Keep the layer of the old one until its
 *   executions have ended.
 *
 * On the engines of this package, an operator also finds the execution in `Executions`, and `interrupt` never loses
 * money. Effect's own engines interrupt a body also while the outcome of a write is unknown.
 *
 * @example
 * import * as Workflow from "@effect/workflow/Workflow"
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as PaymentIntent from "@manilla/payments/PaymentIntent"
 * import * as Durable from "@manilla/workflows/Durable"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const SellTicket = Workflow.make({
 *   name: "Shop/SellTicket/1",
 *   payload: { key: IdempotencyKey.IdempotencyKey, phone: Schema.String, amount: Schema.String },
 *   success: Schema.String,
 *   error: Durable.WriteError,
 *   idempotencyKey: ({ key }) => key
 * })
 *
 * const layer = SellTicket.toLayer(({ amount, key, phone }) =>
 *   Effect.gen(function* () {
 *     const payments = yield* Payments.Payments
 *     const intent = yield* Durable.write({
 *       operation: "Shop.sellTicket",
 *       key,
 *       success: PaymentIntent.PaymentIntent,
 *       idOf: ({ id }) => id,
 *       send: (key) =>
 *         payments.create(
 *           {
 *             operation: "COLLECTION",
 *             country: "BJ",
 *             amount,
 *             currency: "XOF",
 *             payment_method: "mtn_momo",
 *             payer: { phone_number: phone }
 *           },
 *           { key }
 *         )
 *     })
 *     yield* Durable.step({
 *       name: "mail the ticket",
 *       success: Schema.Void,
 *       error: Schema.Never,
 *       execute: Effect.log(`ticket for ${intent.id}`)
 *     })
 *     return intent.id
 *   })
 * )
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Execution from "./Execution.js"
import type * as runs from "./internal/run.js"
import * as steps from "./internal/steps.js"
import * as writes from "./internal/write.js"
import type * as Policy from "./Policy.js"

/**
 * The requirement of every block: the execution that it belongs to. Any engine provides it.
 *
 * @since 0.1.0
 * @category models
 */
export type InExecution = runs.InExecution

/**
 * The services of your own that a block needs.
 *
 * @since 0.1.0
 * @category models
 */
export type Own<R> = runs.Own<R>

/**
 * The parameters of `step`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step<A, I, E, EI, R> {
  /** A name that no other block of the body has. */
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly error: Schema.Schema<E, EI>
  /** May run more than once: after a crash during the step, it runs again. */
  readonly execute: Effect.Effect<A, E, R>
}

/**
 * Runs an effect and stores its result. It does not move money: `write` does. If the execution is to be
 * cancelled, it fails with `ExecutionCancelled`.
 *
 * @since 0.1.0
 * @category blocks
 */
export const step: <A, I, E, EI, R>(
  options: Step<A, I, E, EI, R>
) => Effect.Effect<A, E | Execution.ExecutionCancelled, InExecution | Own<R>> = steps.step

/**
 * The errors of `write`, as a schema.
 *
 * @since 0.1.0
 * @category errors
 */
export const WriteError = writes.WriteError

/**
 * The parameters of `write`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Write<A, I, R> {
  /** The name of the block, such as `Shop.refund`. */
  readonly operation: string
  /**
   * The idempotency key of the request, from the payload: the new version of a workflow must not pay again, nor
   * one that follows a plain call. Each write of a body needs a key of its own.
   */
  readonly key: IdempotencyKey.IdempotencyKey
  readonly success: Schema.Schema<A, I>
  /** The id of the resource, for `ExecutionCancelled`. */
  readonly idOf: (resource: A) => string
  /** The call. It has its own retries, and may run more than once, always with the same key. */
  readonly send: (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<A, Errors.KeyedWriteError, R>
  /**
   * When the request may have been sent before this block, with the same key. It may have been applied then,
   * whatever the service answers now: a refusal does not count.
   */
  readonly sentMillis?: number | undefined
}

/**
 * Moves money once. An unknown outcome, and a failure that passes, are continued after a durable pause,
 * with the same key, for the time of `carryOn`. A refusal after an unknown outcome is not taken for the
 * outcome.
 *
 * @since 0.1.0
 * @category blocks
 */
export const write: <A, I, R>(
  options: Write<A, I, R>
) => Effect.Effect<A, Errors.KeyedWriteError | Execution.ExecutionCancelled, InExecution | Own<R>> =
  writes.write

/**
 * The parameters of `pollUntil`.
 *
 * @since 0.1.0
 * @category models
 */
export interface PollUntil<A, I, E, EI, F, R> {
  /** A name that no other block of the body has. */
  readonly name: string
  readonly success: Schema.Schema<A, I>
  /** The errors of a look. */
  readonly failure: Schema.Schema<E, EI>
  /**
   * One look: none if it is too early. It may read several times, for the time of `Policy.look`. An error
   * means the same as none.
   */
  readonly look: (policy: Policy.Look) => Effect.Effect<Option.Option<A>, E, R>
  /** The error after the deadline of `Policy.wait`, with the error of the last look. */
  readonly expired: (waited: Duration.Duration, cause: Option.Option<E>) => F
}

/**
 * Looks at something until it is there, with durable pauses in between. Each pause is longer than the one
 * before, so the stored rows grow with the logarithm of the time.
 *
 * @since 0.1.0
 * @category blocks
 */
export const pollUntil: <A, I, E, EI, F, R>(
  options: PollUntil<A, I, E, EI, F, R>
) => Effect.Effect<A, F | Execution.ExecutionCancelled, InExecution | Own<R>> = steps.pollUntil

/**
 * A durable pause: it ends on time, also in a later life of the process. `resume` ends it at once. An
 * `interrupt` ends it with `ExecutionCancelled`.
 *
 * @since 0.1.0
 * @category blocks
 */
export const sleep: (
  name: string,
  duration: Duration.DurationInput
) => Effect.Effect<void, Execution.ExecutionCancelled, InExecution> = steps.sleep

/**
 * The compensations of a body. `compensating` provides it.
 *
 * @since 0.1.0
 * @category services
 */
export type Compensations = steps.Compensations

/**
 * Undoes a block if the body fails later. A compensation consists of blocks. It needs `compensating` around the
 * body.
 *
 * @since 0.1.0
 * @category blocks
 */
export const compensate: <A, E, R, R2>(
  effect: Effect.Effect<A, E, R>,
  compensation: (value: A) => Effect.Effect<void, never, R2>
) => Effect.Effect<A, E, R | R2 | Compensations> = steps.compensate

/**
 * Runs a body, and its compensations in reverse order if it fails; then the execution ends with the error. Unlike
 * `Workflow.withCompensation`, a compensation may pause, and none runs after a defect, an unknown outcome or an
 * `AppliedUnreadable`: the money moved, or may have.
 *
 * @since 0.1.0
 * @category blocks
 */
export const compensating: <A, E, R>(
  body: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, Exclude<R, Compensations> | InExecution> = steps.compensating
