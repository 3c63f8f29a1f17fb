/**
 * Building blocks for the body of any `Workflow`, on any engine. After a crash or a pause, the body runs again from its
 * start: blocks, activities, signals (`DurableDeferred`) and executions that have ended return their stored results.
 *
 * - Everything that reads or changes the world, the clock and random numbers included, is in a block or an activity.
 * - Each block has a name of its own. A loop puts its index into the names.
 * - Blocks run one after another, directly in the body. To run things concurrently, start an execution for each.
 * - Put no block in a `step`, an activity, a forked fiber, a race or a timeout: the body could go on without a write that was
 *   applied. On our engines and on `Steps`, the execution dies there before anything is sent; a forked fiber that reaches its
 *   block only after the body has ended sends nothing. Effect's engines do not notice `Effect.fork`, `Effect.race`,
 *   `Effect.timeout`, an activity, nor the first block in a `DurableDeferred.raceAll` or `into`.
 * - A `step` must not wait for a pause, a signal or an execution.
 * - On our engines, an `interrupt` ends the body with the error `ExecutionCancelled` at its next block, or at once in a
 *   pause of a block. Before an activity, a signal or an Effect `DurableClock`, it is a defect, after which `compensating` undoes
 *   what it would after an error. A write in doubt and a compensation go on first. It is passed on to executions that the body
 *   has started, and their end is awaited.
 * - A changed body gets a new name, such as `Shop/SendGift/2`. Keep the layer of the old one until its
 *   executions have ended.
 *
 * @example
 * import * as Workflow from "@effect/workflow/Workflow"
 * import * as Errors from "@manilla/core/Errors"
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Polling from "@manilla/core/Polling"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as PaymentIntent from "@manilla/payments/PaymentIntent"
 * import * as Durable from "@manilla/workflows/Durable"
 * import * as Effect from "effect/Effect"
 * import * as Option from "effect/Option"
 * import * as Schema from "effect/Schema"
 *
 * class StillPending extends Schema.TaggedError<StillPending>()("StillPending", { id: Schema.String }) {}
 *
 * const SellTicket = Workflow.make({
 *   name: "Shop/SellTicket/1",
 *   payload: { key: IdempotencyKey.IdempotencyKey, phone: Schema.String, amount: Schema.String },
 *   success: PaymentIntent.PaymentIntent,
 *   error: Schema.Union(Durable.WriteError, StillPending),
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
 *     // Nothing is paid yet. The final status may be `FAILED`, too.
 *     return yield* Durable.pollUntil({
 *       name: "final",
 *       success: PaymentIntent.PaymentIntent,
 *       failure: Errors.ReadError,
 *       look: () => Effect.map(payments.get(intent.id), Option.liftPredicate(Polling.isFinal)),
 *       expired: () => new StillPending({ id: intent.id })
 *     })
 *   })
 * )
 *
 * @since 0.1.0
 */
import * as Body from "@manilla/workflow-engine/Body"
import { memoize } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Names from "@manilla/workflow-engine/Names"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as blocks from "./internal/blocks.js"
import * as pauses from "./internal/pauses.js"
import * as writes from "./internal/write.js"
import * as Policy from "./Policy.js"

/**
 * The requirement of every block: the execution that it belongs to. Any engine provides it.
 *
 * @since 0.1.0
 * @category models
 */
export type InExecution = Body.InExecution

/**
 * The errors of `write`: `ExecutionCancelled` after an `interrupt`, and those of a write with a key. `Errors.outcome` says
 * whether money moved.
 *
 * @since 0.1.0
 * @category errors
 */
export const WriteError = writes.WriteError

/**
 * @since 0.1.0
 * @category errors
 */
export type WriteError = typeof WriteError.Type

/**
 * The options of `write`. Your editor shows the description of each where you call it.
 *
 * @since 0.1.0
 * @category models
 */
export type WriteOptions<A, I, R> = writes.Options<A, I, R>

/**
 * Moves money once, for as long as the service remembers the key. A response ends the write or leaves it open. While it is
 * open, it pauses, as `carryOn` of the {@link Policy.Policy} says, and sends the same request again with the same key. It is
 * in doubt if an earlier request may have been applied: with `sentMillis`, after an unknown outcome, or after a request whose
 * answer was not stored.
 *
 * | answer                                       | not in doubt       | in doubt |
 * | -------------------------------------------- | ------------------ | -------- |
 * | success                                      | the end            | the end  |
 * | `AppliedUnreadable`, `KeyReused`             | the error: the end | the same |
 * | `OutcomeUnknown`: no response, 408, 409, 5xx   | open, now in doubt | open     |
 * | temporary: no connection, no token, 401, 429 | open               | open     |
 * | other refusals, such as a 400 or a 422       | the error: the end | open     |
 *
 * After `KeyReused`, the service has another request under the key. The deadline counts from the first request, or from
 * `sentMillis`. No pause passes it: the write ends with its last error, in doubt with `OutcomeUnknown`. If the process was
 * down past the deadline, a write in doubt sends nothing, and another one sends once more. Nor does a write in doubt send
 * anything if the clock was set back by more than a minute, so that the age of the key is unknown.
 *
 * @since 0.1.0
 * @category blocks
 */
export const write = writes.write

// Made once for each schema: Effect would compile a new one for each execution, which is half of its cost.
const orCancelled = memoize(<E, EI>(error: Schema.Schema<E, EI>) =>
  Schema.Union(error, Execution.ExecutionCancelled)
)

/**
 * Runs an effect and stores its result. It must not move money: use `write`.
 *
 * @since 0.1.0
 * @category blocks
 */
export const step = <A, I, E, EI, R>({
  error,
  execute,
  name,
  success
}: {
  /** A name that no other block of the body has. */
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly error: Schema.Schema<E, EI>
  /** May run more than once: after a crash during the step, it runs again. */
  readonly execute: Effect.Effect<A, E, R>
}): Effect.Effect<A, E | Execution.ExecutionCancelled, InExecution | Body.Own<R>> =>
  blocks.named(name, (run) =>
    run.step({
      name: Names.make("step", { of: name }),
      success,
      error: orCancelled(error),
      execute: Effect.flatMap(
        run.isCancelled,
        (isCancelled): Effect.Effect<A, E | Execution.ExecutionCancelled, R> =>
          isCancelled ? Body.cancellation(run) : execute
      )
    })
  )

/**
 * A durable pause. On our engines, `resume` ends it at once.
 *
 * @since 0.1.0
 * @category blocks
 */
export const sleep = (
  name: string,
  duration: Duration.DurationInput
): Effect.Effect<void, Execution.ExecutionCancelled, InExecution> =>
  blocks.named(name, (run) =>
    pauses.unlessCancelled(run, Names.make("sleep", { of: name }), Duration.toMillis(duration))
  )

/** The result of a look. Its pause is stored: a later run with a new policy pauses for the same time. */
const lookOf = memoize(<A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) =>
  Schema.Union(
    Schema.TaggedStruct("Done", { value: success }),
    Schema.TaggedStruct("Pending", { startedMillis: Schema.Number, pauseMillis: Schema.Number }),
    Schema.TaggedStruct("Expired", { waitedMillis: Schema.Number, cause: Schema.Option(failure) })
  )
)

/**
 * Looks at something until it is there, with growing durable pauses in between.
 *
 * @since 0.1.0
 * @category blocks
 */
export const pollUntil = <A, I, E, EI, F, R>({
  expired,
  failure,
  look,
  name,
  success
}: {
  /** A name that no other block of the body has. */
  readonly name: string
  readonly success: Schema.Schema<A, I>
  /** The errors of a look. */
  readonly failure: Schema.Schema<E, EI>
  /**
   * Looks once. Returns none if it is not there yet; an error counts as none. To read several times, give the policy to a
   * function such as `awaitFinal`.
   */
  readonly look: (policy: Policy.Policy["look"]) => Effect.Effect<Option.Option<A>, E, R>
  /** The error after the deadline of the policy's `wait`, by default 30 days, with the error of the last look. */
  readonly expired: (waited: Duration.Duration, cause: Option.Option<E>) => F
}): Effect.Effect<A, F | Execution.ExecutionCancelled, InExecution | Body.Own<R>> =>
  blocks.named(name, (run) =>
    Effect.gen(function* () {
      const { look: lookPolicy, wait } = yield* Policy.Current
      const Look = lookOf(success, failure)

      /** When the first look began. A later run reads it from round 0. */
      let firstMillis: number | undefined
      const lookOnce = (round: number) =>
        run.step({
          name: Names.make("look", { of: name, round }),
          success: Look,
          error: Execution.ExecutionCancelled,
          execute: Effect.gen(function* () {
            const startedMillis = yield* Clock.currentTimeMillis
            if (yield* run.isCancelled) return yield* Body.cancellation(run)
            const seen = yield* Effect.either(look(lookPolicy))
            if (Either.isRight(seen) && Option.isSome(seen.right)) {
              return { _tag: "Done", value: seen.right.value } as const
            }
            const waitedMillis = (yield* Clock.currentTimeMillis) - (firstMillis ?? startedMillis)
            const leftMillis = Duration.toMillis(wait.deadline) - waitedMillis
            if (leftMillis <= 0) {
              return { _tag: "Expired", waitedMillis, cause: Either.getLeft(seen) } as const
            }
            const pauseMillis = Math.min(
              yield* pauses.nextMillis(wait, round),
              Math.ceil(leftMillis)
            )
            return { _tag: "Pending", startedMillis, pauseMillis } as const
          })
        })

      for (let round = 0; ; round++) {
        const result: typeof Look.Type = yield* lookOnce(round)
        switch (result._tag) {
          case "Done":
            return result.value
          case "Expired":
            return yield* Effect.fail(expired(Duration.millis(result.waitedMillis), result.cause))
          case "Pending":
            firstMillis ??= result.startedMillis
            yield* pauses.unlessCancelled(
              run,
              Names.make("wait", { of: name, round }),
              result.pauseMillis
            )
        }
      }
    })
  )

/**
 * Waits for a signal until a deadline: its value, or none. It is sent as any `DurableDeferred` of that name, also before
 * the body waits for it. One that comes after the deadline is ignored. A resume by an operator ends the wait as the deadline does.
 *
 * @example
 * import * as DurableDeferred from "@effect/workflow/DurableDeferred"
 * import * as Workflow from "@effect/workflow/Workflow"
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Durable from "@manilla/workflows/Durable"
 * import * as Effect from "effect/Effect"
 * import * as Option from "effect/Option"
 * import * as Schema from "effect/Schema"
 *
 * const success = Schema.Boolean
 *
 * const PayLarge = Workflow.make({
 *   name: "Shop/PayLarge/1",
 *   payload: { key: IdempotencyKey.IdempotencyKey },
 *   success,
 *   error: Durable.WriteError,
 *   idempotencyKey: ({ key }) => key
 * })
 *
 * const layer = PayLarge.toLayer(() =>
 *   Effect.gen(function* () {
 *     const approved = yield* Durable.signal({ name: "approval", success, deadline: "2 days" })
 *     // Pay here, if it is true.
 *     return Option.getOrElse(approved, () => false)
 *   })
 * )
 *
 * const approve = (key: IdempotencyKey.IdempotencyKey) =>
 *   Effect.gen(function* () {
 *     const approval = DurableDeferred.make("approval", { success })
 *     const token = yield* DurableDeferred.tokenFromPayload(approval, {
 *       workflow: PayLarge,
 *       payload: { key }
 *     })
 *     yield* DurableDeferred.succeed(approval, { token, value: true })
 *   })
 *
 * @since 0.1.0
 * @category blocks
 */
export const signal = <A, I>({
  deadline,
  name,
  success
}: {
  /** A name that no other block of the body has, and that of the `DurableDeferred`. */
  readonly name: string
  readonly success: Schema.Schema<A, I>
  /** Counts from the first time that the body comes here. */
  readonly deadline: Duration.DurationInput
}): Effect.Effect<Option.Option<A>, Execution.ExecutionCancelled, InExecution> =>
  blocks.named(name, (run) =>
    run.signal({
      name,
      pause: Names.make("signal", { of: name }),
      success,
      deadline: Duration.decode(deadline)
    })
  )

/**
 * The compensations of a body, in the order of the blocks that they undo. `compensating` provides it.
 *
 * @since 0.1.0
 * @category services
 */
export class Compensations extends Context.Tag("@manilla/workflows/Compensations")<
  Compensations,
  Array<Effect.Effect<void>>
>() {}

/**
 * Undoes a block if the body fails later. It needs `compensating` around the body. A compensation consists of blocks, and
 * handles their errors: with `Effect.orDie`, the execution would die. In a step or in a race, `compensate` dies as a block
 * does.
 *
 * @example
 * import * as Durable from "@manilla/workflows/Durable"
 * import * as Effect from "effect/Effect"
 *
 * type Block<A, E = Durable.WriteError> = Effect.Effect<A, E, Durable.InExecution>
 *
 * const sell = (
 *   pay: Block<string>,
 *   deliver: (id: string) => Block<void>,
 *   refund: (id: string) => Block<void>,
 *   tellOperator: (error: Durable.WriteError) => Block<void, never>
 * ) =>
 *   Durable.compensating(
 *     Effect.gen(function* () {
 *       const id = yield* Durable.compensate(pay, (id) => Effect.catchAll(refund(id), tellOperator))
 *       yield* deliver(id)
 *     })
 *   )
 *
 * @since 0.1.0
 * @category blocks
 */
export const compensate = <A, E, R, R2>(
  effect: Effect.Effect<A, E, R>,
  compensation: (value: A) => Effect.Effect<void, never, R2>
): Effect.Effect<A, E, R | R2 | Compensations | InExecution> =>
  Effect.gen(function* () {
    // As a block: in a step or a race, the compensation could not run.
    yield* blocks.current
    const compensations = yield* Compensations
    const context = yield* Effect.context<R2>()
    const value = yield* effect
    const undo = Effect.suspend(() => compensation(value))
    compensations.push(Effect.provide(undo, context))
    return value
  })

/** Nothing is undone after a defect, unless it is an interrupt that an activity or a wait has noticed. */
const isUndone = (cause: Cause.Cause<unknown>): boolean =>
  Cause.isFailure(cause) ||
  Chunk.some(Cause.defects(cause), (defect) => defect instanceof Execution.ExecutionCancelled)

/**
 * Runs a body. If it fails with a typed error, runs its compensations in reverse order, and fails with that error. Unlike
 * those of `Workflow.withCompensation`, they may pause on every engine. After a body that succeeds, they are forgotten: to
 * undo it if a body around it fails, put it into `compensate`.
 *
 * Nothing is undone after a defect. Nor is it if a write, or an execution that the body has started, is unknown, or failed
 * although it was applied, or if the body does not know its end. A plain activity counts as not applied. On our engines, nothing
 * is undone before all executions that the body has started have ended, and an `interrupt` is an error like others,
 * `ExecutionCancelled`.
 *
 * On Effect's engines, nothing is undone after an `interrupt`, and an awaited execution counts as not applied: await none in
 * `compensating` there.
 *
 * @since 0.1.0
 * @category blocks
 */
export const compensating = <A, E, R>(
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Compensations> | InExecution> =>
  Effect.flatMap(blocks.current, (run) => {
    // Numbered at its start: the order of failures may differ between runs.
    const name = Names.make("compensating", { of: `part ${++run.parts}` })
    const compensations: Array<Effect.Effect<void>> = []
    return body.pipe(
      Effect.provideService(Compensations, compensations),
      Effect.catchAllCause((cause) =>
        Effect.gen(function* () {
          if (!isUndone(cause)) return yield* Effect.failCause(cause)
          // One that has not ended may pay after everything else was undone.
          yield* run.settled(name)
          // Stored: while a compensation waits for an execution, `mustStay` would become true.
          const undone = yield* run.step({
            name,
            success: Schema.Number,
            error: Schema.Never,
            isNote: true,
            execute: Effect.sync(() => (Body.mustStay(run.sideEffects) ? 0 : compensations.length))
          })
          // This run did not come to a block that is to be undone.
          if (compensations.length < undone) run.sideEffects.open.add(name)
          yield* Effect.all(undone === 0 ? [] : compensations.reverse(), { discard: true }).pipe(
            Effect.provideService(Body.Shielded, true)
          )
          return yield* Effect.failCause(cause)
        })
      )
    )
  })
