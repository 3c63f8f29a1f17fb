/**
 * Mobile-money collections and deposits: create a payment intent, and wait for its final status.
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
 * The wait for a payment intent ended before its status was final. The intent continues at the service:
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
  /** For `Errors.outcome`: the intent exists. */
  get outcome(): "applied" {
    return "applied"
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface CreateOptions extends Operation.CallOptions {
  /** The idempotency key, derived from your business operation: one key never moves money twice. */
  readonly key: IdempotencyKey.IdempotencyKey
  /** Sent as `X-Correlation-ID`, to find the request in your records and the service's. */
  readonly correlationId?: Identifier.CorrelationId | undefined
}

/**
 * How long to wait for a payment intent, how often to read it, and when the wait is over.
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
    id: PaymentIntent.PaymentIntentId,
    options?: Operation.CallOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError>

  /**
   * Reads a payment intent until its status is final, and returns it. A final status is any other than
   * `PENDING`. Temporary read failures are retried until the deadline, 10 minutes unless set. Its errors
   * are about its reads: none of them means that the payment was not made.
   */
  readonly awaitFinal: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /** As `awaitFinal`, as a stream of the distinct values, ending with the final one. */
  readonly changes: (
    id: PaymentIntent.PaymentIntentId,
    options?: WaitOptions
  ) => Stream.Stream<PaymentIntent.PaymentIntent, Errors.ReadError | PaymentStillPending>

  /**
   * Takes a payment from a payer: creates a `COLLECTION` and waits until its status is final. A final
   * status does not mean paid: check for `COMPLETED`. Safe to run again with the same key, after a crash
   * too: it continues with the same intent.
   *
   * Once the intent exists, any error is a `PaymentStillPending` that carries it.
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
    options: CreateOptions,
    onSuccess?: (created: PaymentIntent.CreatedPaymentIntent) => void
  ) => {
    // JavaScript may omit the options: then the missing key is an `InvalidRequestError`.
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

  const createAndAwait =
    (name: string, operation: "COLLECTION" | "DEPOSIT"): Service["collect"] =>
    (request, options) =>
      polling.createAndAwait(
        name,
        (onCreated) => create({ ...request, operation }, options, onCreated),
        ({ id }) => id,
        options?.wait,
        () => Sensitive.values(PaymentIntent.PaymentIntentRequest, request)
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
