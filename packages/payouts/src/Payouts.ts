/**
 * Payouts to beneficiaries: creates payouts and waits for their final status.
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
import * as Payout from "./Payout.js"
import * as PayoutsApi from "./PayoutsApi.js"

/**
 * The wait for a payout ended before its status was final. The service may still process it: wait again
 * with its `reference`.
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
  /** The payout was created. For `Errors.outcome`. */
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
}

/**
 * Options of `disburse`: those of the creation, and of the wait after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface DisburseOptions
  extends CreateOptions, Polling.CreateAndAwaitOptions<Payout.Payout> {}

/**
 * The methods of the `Payouts` service: those that wait for a payout, and those below.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Polling.Waits<
  Payout.PayoutReference,
  Payout.Payout,
  PayoutStillPending
> {
  /**
   * Creates a payout. An invalid request fails with `InvalidRequestError` and is
   * not sent.
   *
   * - `OutcomeUnknown`: it may have been created. Retry with the same key.
   * - `KeyReused`: the key was most likely used for another request. It may have been created.
   * - `AppliedUnreadable`: it was created. Do not retry.
   * - Any other error: this request did not create it. If the key was used before, an earlier one may have.
   */
  readonly create: (
    request: Payout.PayoutRequest,
    options: CreateOptions
  ) => Effect.Effect<Payout.CreatedPayout, Errors.KeyedWriteError>

  /** Reads a payout as it is now. `awaitFinal` waits for a final status. */
  readonly get: (
    reference: Payout.PayoutReference,
    options?: Operation.CallOptions
  ) => Effect.Effect<Payout.Payout, Errors.ReadError>

  /**
   * Pays a beneficiary: creates a payout and waits until its status is final. A final status is not
   * necessarily a success: check for `COMPLETED`. Safe to retry with the same key, also after a crash: it
   * continues with the same payout.
   *
   * Any error after the creation is a `PayoutStillPending` with the payout.
   */
  readonly disburse: (
    request: Payout.PayoutRequest,
    options: DisburseOptions
  ) => Effect.Effect<Payout.Payout, Errors.KeyedWriteError | PayoutStillPending>
}

/**
 * The client of the payout operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Payouts extends Context.Tag("@manilla/payouts/Payouts")<Payouts, Service>() {}

/**
 * Makes the `Payouts` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.map(
  Gateway.Gateway,
  (gateway) => {
    const calls = gateway.calls(PayoutsApi.group)
    return fromCalls({
      create: (payload, options) => {
        // JavaScript callers may omit the options: the missing key is then an `InvalidRequestError`.
        const headers = { "idempotency-key": options?.key }
        return Effect.map(calls.create({ headers, payload }, options), redact)
      },
      get: (reference, options) => Effect.map(calls.get({ path: { reference } }, options), redact)
    })
  }
)

const redact = <Wire extends { readonly destination?: string | undefined }>({
  destination,
  ...payout
}: Wire) => ({
  ...payout,
  ...(destination === undefined ? {} : { destination: Redacted.make(destination) })
})

/**
 * A layer that provides `Payouts`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
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

/**
 * A service on two calls, which sends and reads nothing else. Wrap the calls of another one to see their results.
 *
 * @example
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Effect from "effect/Effect"
 *
 * const counted = (payouts: Payouts.Service, count: Effect.Effect<void>) =>
 *   Payouts.fromCalls({
 *     create: payouts.create,
 *     get: (reference, options) => Effect.zipRight(count, payouts.get(reference, options))
 *   })
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromCalls = ({ create, get }: Pick<Service, "create" | "get">): Service => {
  const { createAndAwait, waits } = Polling.make({
    operation: "Payouts.awaitFinal",
    by: "reference",
    read: get,
    stillPending: (_, fields, shown) =>
      new PayoutStillPending({ reference: Payout.makeReference(shown), ...fields })
  })
  const sensitive = Sensitive.values(Payout.PayoutRequest)
  return {
    ...waits,
    create,
    get,
    disburse: (request, options) =>
      createAndAwait(
        "Payouts.disburse",
        (options) => create(request, options),
        options,
        () => sensitive(request)
      )
  }
}
