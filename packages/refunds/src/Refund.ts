/**
 * Refunds: their references, their statuses and what a read shows.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Identifier from "@manilla/core/Identifier"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The id of a refund, a UUID. A refund is read by its reference instead.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RefundId = Identifier.uuid("RefundId")

/**
 * The reference of a refund, by which it is read.
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
 * Returns stored text as a reference. Throws a `ParseError` if it is empty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeReference = (text: string): RefundReference => RefundReference.make(text)

/**
 * The status of a refund: `COMPLETED`, or another string. The interface does not list the other values.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Status = OpenEnum.make("COMPLETED")

/**
 * A refund. The interface defines no currency for it.
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
