/**
 * Payment intents: collections and deposits, which the service processes asynchronously.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Environment from "@manilla/core/Environment"
import * as Identifier from "@manilla/core/Identifier"
import * as Metadata from "@manilla/core/Metadata"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Text from "@manilla/core/Text"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The id of a payment intent, a UUID, by which it is read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentIntentId = Identifier.uuid("PaymentIntentId")

/**
 * @since 0.1.0
 * @category models
 */
export type PaymentIntentId = typeof PaymentIntentId.Type

/**
 * Returns stored text as an id. Throws a `ParseError` if it is not a UUID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeId = (text: string): PaymentIntentId => PaymentIntentId.make(text)

/**
 * The reference of a payment intent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentIntentReference = Identifier.reference("PaymentIntentReference")

/**
 * The status of a payment intent: `PENDING` on creation, `COMPLETED`, or another string. The interface
 * does not list the other values.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Status = OpenEnum.make("PENDING", "COMPLETED")

/**
 * @since 0.1.0
 * @category models
 */
export type Status = typeof Status.Type

const Payer = Schema.Struct({
  phone_number: Text.atMost(32).pipe(Sensitive.mark),
  otp_code: Schema.optional(Schema.NullOr(Text.atMost(32).pipe(Sensitive.mark))),
  lang: Schema.optional(Schema.Literal("en", "fr"))
})

/**
 * The body of `POST /payments`. Text has a maximum length in characters: 60 for
 * `payment_method`, 32 for the payer's phone number and one-time code, and 1,000 for `description`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentIntentRequest = Schema.Struct({
  country: Country.Input,
  amount: Amount.Input,
  currency: Currency.Input,
  operation: OperationKind.Input,
  payment_method: Text.atMost(60),
  payer: Payer,
  description: Schema.optional(Schema.NullOr(Text.atMost(1000))),
  metadata: Schema.optional(Metadata.Input),
  expires_at: Schema.optional(Schema.NullOr(Timestamp.Input))
}).annotations({
  identifier: "PaymentIntentRequest",
  examples: [
    {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      operation: "COLLECTION",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290100000000" }
    }
  ]
})

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentIntentRequest extends Schema.Schema.Type<typeof PaymentIntentRequest> {}

/** Only the fields that every caller needs are required. */
const fields = {
  id: PaymentIntentId,
  status: Status,
  amount: Amount.Amount,
  currency: Currency.Currency,
  reference: Schema.optional(PaymentIntentReference),
  country: Schema.optional(Country.Country),
  operation: Schema.optional(OperationKind.OperationKind),
  payment_method: Schema.optional(Schema.String),
  environment: Schema.optional(Environment.Environment),
  metadata: Schema.optional(Schema.NullOr(Metadata.Metadata)),
  created_at: Schema.optional(Timestamp.Timestamp),
  updated_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp))
}

/**
 * A payment intent as returned by a read.
 * Only the fields that every caller needs are required; a response without the others is valid too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentIntent = Schema.Struct(fields).annotations({ identifier: "PaymentIntent" })

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentIntent extends Schema.Schema.Type<typeof PaymentIntent> {}

/**
 * A payment intent as returned by its creation.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatedPaymentIntent = Schema.Struct({
  ...fields,
  account_id: Schema.optional(Identifier.Uuid),
  application_id: Schema.optional(Identifier.Uuid),
  description: Schema.optional(Schema.NullOr(Schema.String)),
  expires_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp))
}).annotations({ identifier: "CreatedPaymentIntent" })

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedPaymentIntent extends Schema.Schema.Type<typeof CreatedPaymentIntent> {}
