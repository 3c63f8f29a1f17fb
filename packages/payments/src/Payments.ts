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
 * Options of `collect` and `deposit`: those of the creation, and of the wait after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CollectOptions
  extends CreateOptions, Polling.CreateAndAwaitOptions<PaymentIntent.PaymentIntent> {}

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
 * The methods of the `Payments` service: those that wait for a payment intent, and those below.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Polling.Waits<
  PaymentIntent.PaymentIntentId,
  PaymentIntent.PaymentIntent,
  PaymentStillPending
> {
  /**
   * Creates a payment intent. An invalid request fails with
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

  /** Reads a payment intent as it is now. `awaitFinal` waits for a final status. */
  readonly get: (
    id: PaymentIntent.PaymentIntentId,
    options?: Operation.CallOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError>

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

  const create: Service["create"] = (payload, options) => {
    // JavaScript callers may omit the options: the missing key is then an `InvalidRequestError`.
    const headers = { "idempotency-key": options?.key, "x-correlation-id": options?.correlationId }
    return calls.create({ headers, payload }, options)
  }

  const get: Service["get"] = (paymentIntent, options) =>
    calls.get({ path: { paymentIntent } }, options)

  const { createAndAwait, waits } = Polling.make({
    operation: "Payments.awaitFinal",
    by: "id",
    read: get,
    stillPending: (id, fields) => new PaymentStillPending({ id, ...fields })
  })

  const sensitive = Sensitive.values(PaymentIntent.PaymentIntentRequest)

  const collect =
    (name: string, operation: "COLLECTION" | "DEPOSIT"): Service["collect"] =>
    (request, options) =>
      createAndAwait(
        name,
        (options) => create({ ...request, operation }, options),
        options,
        () => sensitive(request)
      )

  return {
    ...waits,
    create,
    get,
    collect: collect("Payments.collect", "COLLECTION"),
    deposit: collect("Payments.deposit", "DEPOSIT")
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
