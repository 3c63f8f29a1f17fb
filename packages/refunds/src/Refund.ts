/**
 * The refund: money given back (interface section 2.6). How one is requested is not shown by the
 * interface.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Identifier from "@manilla/core/Identifier"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category schemas
 */
export const RefundId = Identifier.uuid("RefundId")

/**
 * What a refund is read by.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RefundReference = Identifier.reference("RefundReference")

/**
 * @since 0.1.0
 * @category models
 */
export type RefundReference = typeof RefundReference.Type

/**
 * `COMPLETED` is returned. Others are not shown by the interface, and arrive as they are.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Status = OpenEnum.make("COMPLETED")

/**
 * A refund has no currency of its own in the interface.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Refund = Schema.Struct({
  reference: RefundReference,
  status: Status,
  amount: Amount.Amount,
  id: Schema.optional(RefundId),
  reason: Schema.optional(Schema.NullOr(Schema.String)),
  provider_reference: Schema.optional(Schema.NullOr(Schema.String)),
  created_at: Schema.optional(Timestamp.Timestamp),
  updated_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp))
}).annotations({ identifier: "Refund" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Refund extends Schema.Schema.Type<typeof Refund> {}
