/**
 * Reads refunds and waits for their final status.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Refund from "./Refund.js"
import * as RefundsApi from "./RefundsApi.js"

/**
 * The wait for a refund ended before its status was final. The service may still process it: wait again
 * with its `reference`.
 *
 * @since 0.1.0
 * @category errors
 */
export class RefundStillPending extends Schema.TaggedError<RefundStillPending>(
  "@manilla/refunds/RefundStillPending"
)("RefundStillPending", {
  reference: Refund.RefundReference,
  ...Polling.stillPending(Refund.Refund)
}) {}

/**
 * The methods of the `Refunds` service: those that wait for a refund, and those below.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Polling.Waits<
  Refund.RefundReference,
  Refund.Refund,
  RefundStillPending
> {
  /** Reads a refund as it is now. `awaitFinal` waits for a final status. */
  readonly get: (
    reference: Refund.RefundReference,
    options?: Operation.CallOptions
  ) => Effect.Effect<Refund.Refund, Errors.ReadError>
}

/**
 * The client of the group `Refunds`.
 *
 * @since 0.1.0
 * @category services
 */
export class Refunds extends Context.Tag("@manilla/refunds/Refunds")<Refunds, Service>() {}

/**
 * Makes the `Refunds` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(RefundsApi.group)

  const get: Service["get"] = (reference, options) => calls.get({ path: { reference } }, options)

  const { waits } = Polling.make({
    operation: "Refunds.awaitFinal",
    by: "reference",
    read: get,
    stillPending: (reference, fields) => new RefundStillPending({ reference, ...fields })
  })

  return { ...waits, get }
})

/**
 * A layer that provides `Refunds`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
 * @example
 * import * as Refund from "@manilla/refunds/Refund"
 * import * as Refunds from "@manilla/refunds/Refunds"
 * import * as Effect from "effect/Effect"
 *
 * const refund = Effect.gen(function* () {
 *   const refunds = yield* Refunds.Refunds
 *   return yield* refunds.awaitFinal(Refund.makeReference("RFD-42"))
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Refunds, never, Gateway.Gateway> = Layer.effect(Refunds, make)
