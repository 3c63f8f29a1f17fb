/**
 * Payment links: hosted pages where a payer pays.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Identifier from "@manilla/core/Identifier"
import * as Metadata from "@manilla/core/Metadata"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as Text from "@manilla/core/Text"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * The id of a payment link, by which it is read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLinkId = Identifier.uuid("PaymentLinkId")

/**
 * @since 0.1.0
 * @category models
 */
export type PaymentLinkId = typeof PaymentLinkId.Type

/**
 * Returns stored text as an id. Throws a `ParseError` if it is not a UUID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeId = (text: string): PaymentLinkId => PaymentLinkId.make(text)

/**
 * The reference of a payment link. A link is read by its id instead.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLinkReference = Identifier.reference("PaymentLinkReference")

/**
 * The statuses in the filter of a list.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StatusInput = Schema.Literal("ACTIVE", "INACTIVE", "EXPIRED")

/**
 * The status of a link: `ACTIVE` on creation. The interface does not define the transitions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Status = OpenEnum.make(...StatusInput.literals)

/**
 * @since 0.1.0
 * @category models
 */
export type Status = typeof Status.Type

/**
 * The body of `POST /payment-links`. The interface does not state which fields are required: Manilla
 * requires the amount, currency and country.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLinkRequest = Schema.Struct({
  amount: Amount.Input,
  currency: Currency.Input,
  country: Country.Input,
  description: Schema.optional(Text.atMost(1000)),
  /** The maximum number of payments. */
  max_uses: Schema.optional(
    Schema.Int.pipe(
      Schema.greaterThanOrEqualTo(1, { description: "a whole number that is at least 1" })
    )
  ),
  /** Must be in the future, by the service's clock. */
  expires_at: Schema.optional(Timestamp.Input),
  success_url: Schema.optional(Text.atMost(2048)),
  failure_url: Schema.optional(Text.atMost(2048)),
  metadata: Schema.optional(Metadata.Input)
}).annotations({
  identifier: "PaymentLinkRequest",
  examples: [{ amount: "2000", currency: "XOF", country: "BJ", description: "Shoes" }]
})

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentLinkRequest extends Schema.Schema.Type<typeof PaymentLinkRequest> {}

/** Only the fields that every caller needs are required. */
const common = {
  id: PaymentLinkId,
  status: Status,
  amount: Amount.Amount,
  currency: Currency.Currency,
  reference: Schema.optional(PaymentLinkReference),
  country: Schema.optional(Country.Country),
  description: Schema.optional(Schema.NullOr(Schema.String)),
  max_uses: Schema.optional(Schema.NullOr(Schema.Int)),
  use_count: Schema.optional(Schema.Int),
  expires_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp))
}

/**
 * A link as returned by its creation and in lists. It must have a `checkout_url`.
 * Only the fields that every caller needs are required; a response without the others is valid too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLink = Schema.Struct({
  ...common,
  /** The hosted page, for the payer's browser. */
  checkout_url: Schema.String,
  created_at: Schema.optional(Timestamp.Timestamp)
}).annotations({ identifier: "PaymentLink" })

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentLink extends Schema.Schema.Type<typeof PaymentLink> {}

/**
 * A link as returned by a read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLinkDetail = Schema.Struct({
  ...common,
  /** The hosted page. */
  checkout_url: Schema.optional(Schema.String),
  metadata: Schema.optional(Schema.NullOr(Metadata.Metadata))
}).annotations({ identifier: "PaymentLinkDetail" })

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentLinkDetail extends Schema.Schema.Type<typeof PaymentLinkDetail> {}

/**
 * Returns `true` if a link in a list may be the result of this request: the amounts are equal by value,
 * and all other fields that both have are equal. Does not compare `metadata`, which lists do not
 * return, so it cannot tell the links of two similar requests apart.
 *
 * @since 0.1.0
 * @category checks
 */
export const resembles = (link: PaymentLink, request: PaymentLinkRequest): boolean =>
  isAmount(request.amount) &&
  Amount.Equivalence(link.amount, request.amount) &&
  Text.isSameCode(link.currency, request.currency) &&
  (link.country === undefined || Text.isSameCode(link.country, request.country)) &&
  (request.description === undefined ||
    link.description === undefined ||
    (link.description ?? "").trim() === request.description.trim()) &&
  (request.max_uses === undefined ||
    link.max_uses === undefined ||
    link.max_uses === request.max_uses) &&
  (request.expires_at === undefined ||
    Predicate.isNullable(link.expires_at) ||
    (isTimestamp(request.expires_at) &&
      Timestamp.toEpochMicros(link.expires_at) === Timestamp.toEpochMicros(request.expires_at)))

const isAmount = Schema.is(Amount.Amount)
const isTimestamp = Schema.is(Timestamp.Timestamp)
