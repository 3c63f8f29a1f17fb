/**
 * Mobile-money collections and deposits: creates payment intents and waits for their final status.
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
 * The wait for a payment intent ended before its status was final. The service may still process it:
 * wait again with its `id`.
 *
 * @since 0.1.0
 * @category errors
 */
export class PaymentStillPending extends Schema.TaggedError<PaymentStillPending>(
  "@manilla/payments/PaymentStillPending"
)("PaymentStillPending", {
  id: PaymentIntent.PaymentIntentId,
  ...Polling.stillPending(PaymentIntent.PaymentIntent)
}) {
  /** The payment intent was created. For `Errors.outcome`. */
  get outcome(): "applied" {
    return "applied"
  }
}

/**
 * Options of `create`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CreateOptions extends Operation.CallOptions {
  /** The idempotency key of the business operation: one key never moves money twice. */
  readonly key: IdempotencyKey.IdempotencyKey
  /** Sent as `X-Correlation-ID`, to find the request in the service's records. */
  readonly correlationId?: Identifier.CorrelationId | undefined
}

/**
 * Options of a wait for a payment intent.
 *
 * @since 0.1.0
 * @category models
 */
export interface WaitOptions extends Polling.Options<PaymentIntent.PaymentIntent> {}

/**
 * Options of `collect` and `deposit`. `timeout`, `retry` and `onResponse` are those of the creation;
 * `wait` is for the time after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CollectOptions extends CreateOptions {
  /** The pauses between reads and the deadline of the wait; by default `Polling.defaults`, 10 minutes. */
  readonly wait?: WaitOptions | undefined
}

/**
 * The request of `collect` and `deposit`: the body of `POST /payments` without `operation`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CollectRequest extends Omit<PaymentIntent.PaymentIntentRequest, "operation"> {
  /** Set by `collect` and `deposit`. */
  readonly operation?: never
}

/**
 * The methods of the `Payments` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Creates a payment intent (interface section 4.1). An invalid request fails with
   * `InvalidRequestError` and is not sent.
   *
   * - `OutcomeUnknown`: it may have been created. Retry with the same key.
   * - `KeyReused`: the key was most likely used for another request. It may have been created.
   * - `AppliedUnreadable`: it was created. Do not retry.
   * - Any other error: this request did not create it. If the key was used before, an earlier one may have.
   */
  readonly create: (
    request: PaymentIntent.PaymentIntentRequest,
    options: CreateOptions
  ) => Effect.Effect<PaymentIntent.CreatedPaymentIntent, Errors.KeyedWriteError>

  /** Reads a payment intent as it is now (interface section 4.2). `awaitFinal` waits for a final status. */
  readonly get: (
    id: PaymentIntent.PaymentIntentId,
    options?: Operation.CallOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError>

  /**
   * Reads a payment intent until its status is final (any status other than `PENDING`), and returns it.
   * Retries temporary read failures until the deadline, by default 10 minutes. An error does not mean
   * that the payment failed.
   */
  readonly awaitFinal: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /** Like `awaitFinal`, but emits each distinct value, ending with the final one. */
  readonly changes: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Stream.Stream<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /**
   * Collects a payment: creates a `COLLECTION` and waits until its status is final. A final status is
   * not necessarily a success: check for `COMPLETED`. Safe to retry with the same key, also after a
   * crash: it continues with the same payment intent.
   *
   * Any error after the creation is a `PaymentStillPending` with the payment intent.
   */
  readonly collect: (
    request: CollectRequest,
    options: CollectOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.KeyedWriteError | PaymentStillPending>

  /** Like `collect`, but creates a `DEPOSIT`. */
  readonly deposit: (
    request: CollectRequest,
    options: CollectOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.KeyedWriteError | PaymentStillPending>
}

/**
 * The client of the payment operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Payments extends Context.Tag("@manilla/payments/Payments")<Payments, Service>() {}

/**
 * Makes the `Payments` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(PaymentsApi.group)

  const create = (
    payload: PaymentIntent.PaymentIntentRequest,
    options: CreateOptions,
    onSuccess?: (created: PaymentIntent.CreatedPaymentIntent) => void
  ) => {
    // JavaScript callers may omit the options: the missing key is then an `InvalidRequestError`.
    const headers = {
      "idempotency-key": options?.key,
      "x-correlation-id": options?.correlationId
    }
    return calls.create({ headers, payload }, { ...options, onSuccess })
  }

  const get: Service["get"] = (paymentIntent, options) =>
    calls.get({ path: { paymentIntent } }, options)

  const polling = Polling.make({
    operation: "Payments.awaitFinal",
    schema: PaymentIntent.PaymentIntent,
    read: get,
    stillPending: (id, fields, options) => new PaymentStillPending({ id, ...fields }, options)
  })

  const sensitive = Sensitive.values(PaymentIntent.PaymentIntentRequest)

  const createAndAwait =
    (name: string, operation: "COLLECTION" | "DEPOSIT"): Service["collect"] =>
    (request, options) =>
      polling.createAndAwait(
        name,
        (onCreated) => create({ ...request, operation }, options, onCreated),
        ({ id }) => id,
        options?.wait,
        () => sensitive(request)
      )

  return {
    create: (request, options) => create(request, options),
    get,
    awaitFinal: polling.awaitFinal,
    changes: polling.changes,
    collect: createAndAwait("Payments.collect", "COLLECTION"),
    deposit: createAndAwait("Payments.deposit", "DEPOSIT")
  }
})

/**
 * A layer that provides `Payments`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
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
