/**
 * Payouts: create one, and wait for its final status.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Polling from "@manilla/core/Polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Payout from "./Payout.js"
import * as PayoutsApi from "./PayoutsApi.js"

/**
 * The wait for a payout ended before its status was final. The payout continues at the service: wait
 * again with its `reference`.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayoutStillPending extends Schema.TaggedError<PayoutStillPending>(
  "@manilla/payouts/PayoutStillPending"
)("PayoutStillPending", {
  reference: Payout.PayoutReference,
  ...Polling.stillPending(Payout.Payout)
}) {
  /** For `Errors.outcome`: the payout exists. */
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
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WaitOptions extends Polling.Options<Payout.Payout> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface DisburseOptions extends CreateOptions {
  readonly wait?: WaitOptions | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Creates a payout (interface section 4.5). Every broken field is named in `InvalidRequestError`
   * before anything is sent.
   *
   * Fails with `OutcomeUnknown` when it may have been created: go on with the same key. Fails with
   * `KeyReused` when the key most likely belongs to another request: whether this one was created
   * is unknown. Fails with `AppliedUnreadable` when it was created: do not send it again. Every
   * other error: it was not created.
   */
  readonly create: (
    request: Payout.PayoutRequest,
    options: CreateOptions
  ) => Effect.Effect<Payout.CreatedPayout, Errors.KeyedWriteError>

  /** Reads a payout (interface section 4.6). */
  readonly get: (
    reference: Payout.PayoutReference,
    options?: Operation.CallOptions
  ) => Effect.Effect<Payout.Payout, Errors.ReadError>

  /**
   * Reads a payout until its status is final, and returns it. A final status is any other than
   * `PENDING`. Temporary read failures are retried until the deadline, 10 minutes unless set. Its errors
   * are about its reads: none of them means that the payout was not made.
   */
  readonly awaitFinal: (
    reference: Payout.PayoutReference,
    options?: WaitOptions
  ) => Effect.Effect<Payout.Payout, Errors.ReadError | PayoutStillPending>

  /** As `awaitFinal`, as a stream of the distinct values, ending with the final one. */
  readonly changes: (
    reference: Payout.PayoutReference,
    options?: WaitOptions
  ) => Stream.Stream<Payout.Payout, Errors.ReadError | PayoutStillPending>

  /**
   * Pays a beneficiary: creates a payout and waits until its status is final. A final status does not
   * mean paid: check for `COMPLETED`. Safe to run again with the same key, after a crash too: it
   * continues with the same payout.
   *
   * Once the payout exists, any error is a `PayoutStillPending` that carries it.
   */
  readonly disburse: (
    request: Payout.PayoutRequest,
    options: DisburseOptions
  ) => Effect.Effect<Payout.Payout, Errors.KeyedWriteError | PayoutStillPending>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Payouts extends Context.Tag("@manilla/payouts/Payouts")<Payouts, Service>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(PayoutsApi.group)

  const create = (
    payload: Payout.PayoutRequest,
    options: CreateOptions,
    onSuccess?: (created: Payout.CreatedPayout) => void
  ) => {
    // JavaScript may omit the options: then the missing key is an `InvalidRequestError`.
    const headers = { "idempotency-key": options?.key }
    const hooks = {
      ...options,
      onSuccess: (created: Payout.CreatedPayoutWire) => onSuccess?.(redact(created))
    }
    return Effect.map(calls.create({ headers, payload }, hooks), redact)
  }

  const get: Service["get"] = (reference, options) =>
    Effect.map(calls.get({ path: { reference } }, options), redact)

  const polling = Polling.make({
    operation: "Payouts.awaitFinal",
    schema: Payout.Payout,
    read: get,
    stillPending: (reference, fields, options) =>
      new PayoutStillPending({ reference, ...fields }, options)
  })

  return {
    create: (request, options) => create(request, options),
    get,
    awaitFinal: polling.awaitFinal,
    changes: polling.changes,
    disburse: (request, options) =>
      polling.createAndAwait(
        "Payouts.disburse",
        (onCreated) => create(request, options, onCreated),
        ({ reference }) => reference,
        options?.wait,
        () => Sensitive.values(Payout.PayoutRequest, request)
      )
  }
})

const redact = <Wire extends { readonly destination?: string | undefined }>({
  destination,
  ...payout
}: Wire) => ({
  ...payout,
  ...(destination === undefined ? {} : { destination: Redacted.make(destination) })
})

/**
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Effect from "effect/Effect"
 *
 * const salary = Effect.gen(function* () {
 *   const payouts = yield* Payouts.Payouts
 *   return yield* payouts.disburse(
 *     {
 *       wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *       amount: "250000",
 *       currency: "XOF",
 *       country: "BJ",
 *       payment_method: "mtn_momo",
 *       destination: "+2290161234567"
 *     },
 *     { key: IdempotencyKey.derive("salary", "2026-11", "employee-7") }
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Payouts, never, Gateway.Gateway> = Layer.effect(Payouts, make)
