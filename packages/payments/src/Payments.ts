/**
 * Mobile-money collections and deposits: create a payment intent, and follow it until it settles.
 *
 * @since 0.1.0
 */
import * as Gateway from "@manilla/core/Gateway"
import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Identifier from "@manilla/core/Identifier"
import type * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Polling from "@manilla/core/Polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as PaymentIntent from "./PaymentIntent.js"
import * as PaymentsApi from "./PaymentsApi.js"

/**
 * The wait for a payment intent ended before it settled. The intent goes on at the service: wait
 * again with `id`.
 *
 * @since 0.1.0
 * @category errors
 */
export class PaymentStillPending extends Schema.TaggedError<PaymentStillPending>(
  "@manilla/payments/PaymentStillPending"
)("PaymentStillPending", {
  id: PaymentIntent.PaymentIntentId,
  ...Polling.stillPending(PaymentIntent.PaymentIntent)
}) {}

/**
 * @since 0.1.0
 * @category models
 */
export interface CreateOptions {
  /** Names the business operation: the same key never moves money twice. */
  readonly key: IdempotencyKey.IdempotencyKey
  /** Ties the request to your own records, as `X-Correlation-ID`. */
  readonly correlationId?: Identifier.CorrelationId | undefined
}

/**
 * How long and how often to look whether an intent has settled, and when it has.
 *
 * @since 0.1.0
 * @category models
 */
export interface WaitOptions extends Polling.Options<PaymentIntent.PaymentIntent> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface CollectOptions extends CreateOptions {
  readonly wait?: WaitOptions | undefined
}

/**
 * What `collect` and `deposit` take: the body of `POST /payments` without its `operation`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CollectRequest extends Omit<PaymentIntent.PaymentIntentRequest, "operation"> {
  /** The call says it. */
  readonly operation?: never
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Creates a payment intent (interface section 4.1). Every broken field is named in
   * `InvalidRequestError` before anything is sent.
   *
   * Fails with `OutcomeUnknown` when it may have been created: go on with the same key. Fails with
   * `KeyReused` when the key most likely belongs to another request: whether this one was created
   * is unknown. Fails with `AppliedUnreadable` when it was created: do not send it again. Every
   * other error: it was not created.
   */
  readonly create: (
    request: PaymentIntent.PaymentIntentRequest,
    options: CreateOptions
  ) => Effect.Effect<PaymentIntent.CreatedPaymentIntent, Errors.KeyedWriteError>

  /** Reads a payment intent (interface section 4.2). */
  readonly get: (
    id: PaymentIntent.PaymentIntentId
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError>

  /**
   * Reads a payment intent until its status is no longer `PENDING`: any other status is returned
   * as it is. Passing read failures are tolerated until the deadline, 10 minutes unless set.
   * Its errors speak of its reads: none of them says that the payment was not made.
   */
  readonly awaitFinal: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /** The same as a stream of the distinct values read, ending with the settled one. */
  readonly changes: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Stream.Stream<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /**
   * Takes a payment from a payer: creates a `COLLECTION` and waits until it settles. Settled is not
   * paid: look at the `status`, of which the interface shows `COMPLETED` only. Safe to run again with
   * the same key, after a crash too: it goes on with the same intent.
   *
   * Once the intent exists nothing loses it: whatever ends the wait is a `PaymentStillPending` that
   * carries it.
   */
  readonly collect: (
    request: CollectRequest,
    options: CollectOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.KeyedWriteError | PaymentStillPending>

  /** As `collect`, for a `DEPOSIT`. */
  readonly deposit: (
    request: CollectRequest,
    options: CollectOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.KeyedWriteError | PaymentStillPending>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Payments extends Context.Tag("@manilla/payments/Payments")<Payments, Service>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(PaymentsApi.group)

  const create = (
    payload: PaymentIntent.PaymentIntentRequest,
    { correlationId, key }: CreateOptions,
    onSuccess?: (created: PaymentIntent.CreatedPaymentIntent) => void
  ) =>
    calls.create(
      { headers: { "idempotency-key": key, "x-correlation-id": correlationId }, payload },
      { onSuccess }
    )

  const get: Service["get"] = (paymentIntent) => calls.get({ path: { paymentIntent } })

  /** A wait reads again by itself, so each of its reads is one attempt. */
  const polls = gateway.calls(PaymentsApi.group, { attempts: 1 })
  const poll = (paymentIntent: PaymentIntent.PaymentIntentId, options: Operation.CallOptions) =>
    polls.get({ path: { paymentIntent } }, options)

  const polling = Polling.make({
    operation: "Payments.awaitFinal",
    schema: PaymentIntent.PaymentIntent,
    read: poll,
    stillPending: (id, fields, options) => new PaymentStillPending({ id, ...fields }, options)
  })

  const createAndAwait =
    (operation: "COLLECTION" | "DEPOSIT"): Service["collect"] =>
    (request, options) =>
      polling.createAndAwait(
        (onCreated) => create({ ...request, operation }, options, onCreated),
        ({ id }) => id,
        options.wait,
        () => Sensitive.values(PaymentIntent.PaymentIntentRequest, request)
      )

  return {
    create: (request, options) => create(request, options),
    get,
    awaitFinal: polling.awaitFinal,
    changes: polling.changes,
    collect: createAndAwait("COLLECTION"),
    deposit: createAndAwait("DEPOSIT")
  }
})

/**
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const payments = yield* Payments.Payments
 *   return yield* payments.collect(
 *     {
 *       country: "BJ",
 *       amount: "1500",
 *       currency: "XOF",
 *       payment_method: "mtn_momo",
 *       payer: { phone_number: "+2290100000000" }
 *     },
 *     { key: IdempotencyKey.derive("order", "42") }
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Payments, never, Gateway.Gateway> = Layer.effect(Payments, make)
