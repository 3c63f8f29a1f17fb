/**
 * The wire format of the group `Refunds`.
 *
 * @since 0.1.0
 */
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as Refund from "./Refund.js"

/**
 * `GET /refunds/{reference}`: reads a refund.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/refunds/:reference",
  summary: "Read a refund",
  access: "refunds.read",
  pathParams: Schema.Struct({ reference: Refund.RefundReference }),
  success: Refund.Refund
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface RefundsGroup extends Operation.Group<
  "Refunds",
  {
    readonly get: typeof get
  }
> {}

/**
 * The operations on refunds.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: RefundsGroup = Operation.group("Refunds", { get })
