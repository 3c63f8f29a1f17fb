/**
 * The wire format of the payout operations. The interface does not
 * state their scopes.
 *
 * @since 0.1.0
 */
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as Payout from "./Payout.js"

/**
 * `POST /payouts`: creates a payout.
 *
 * @since 0.1.0
 * @category operations
 */
export const create = Operation.keyed({
  method: "POST",
  path: "/payouts",
  summary: "Create a payout",
  access: "bearer",
  headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
  payload: Payout.PayoutRequest,
  success: Payout.CreatedPayoutWire,
  key: { header: "idempotency-key" },
  checks: {
    members: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" },
      { field: "destination", as: "phone" }
    ]
  }
})

/**
 * `GET /payouts/{reference}`: reads a payout.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/payouts/:reference",
  summary: "Read a payout",
  access: "bearer",
  pathParams: Schema.Struct({ reference: Payout.PayoutReference }),
  success: Payout.PayoutWire
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface PayoutsGroup extends Operation.Group<
  "Payouts",
  {
    readonly create: typeof create
    readonly get: typeof get
  }
> {}

/**
 * The payout operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: PayoutsGroup = Operation.group("Payouts", { create, get })
