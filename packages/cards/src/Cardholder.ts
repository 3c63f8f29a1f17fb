/**
 * The cardholder: who a card is issued to (interface section 2.8).
 *
 * @since 0.1.0
 */
import * as Environment from "@manilla/core/Environment"
import * as Identifier from "@manilla/core/Identifier"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * What a cardholder is read by.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardholderId = Identifier.uuid("CardholderId")

/**
 * @since 0.1.0
 * @category models
 */
export type CardholderId = typeof CardholderId.Type

/**
 * A cardholder as it is listed: without personal data.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Cardholder = Schema.Struct({
  id: CardholderId,
  provider_reference: Schema.optional(Schema.NullOr(Schema.String)),
  environment: Schema.optional(Environment.Environment),
  created_at: Schema.optional(Timestamp.Timestamp)
}).annotations({ identifier: "Cardholder" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Cardholder extends Schema.Schema.Type<typeof Cardholder> {}

/** The members of a cardholder's personal data, with each personal one in the form `text`. */
const detail = <Text extends Schema.Schema.Any>(text: Text) => {
  const personal = Schema.optional(Schema.NullOr(text))
  return {
    /** The one member that is always there: by it a detail is told from another answer. */
    reference: Schema.String,
    is_business: Schema.optional(Schema.Boolean),
    first_name: personal,
    last_name: personal,
    email: personal,
    /** The digits of the dialling code. */
    country_code: personal,
    /** The digits of the phone number. */
    contact: personal,
    /** `YYYY-MM-DD`. */
    dob: personal,
    billing_name: personal,
    billing_address: personal,
    billing_city: personal,
    billing_country: personal,
    billing_state: personal,
    billing_postal_code: personal,
    id_number: personal
  }
}

/**
 * A cardholder's personal data. Every member but the reference and `is_business` is `Redacted`: it
 * prints as `<redacted>`, and `Redacted.value` reads it on purpose.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardholderDetail = Schema.Struct(detail(Schema.Redacted(Schema.String))).annotations({
  identifier: "CardholderDetail"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CardholderDetail extends Schema.Schema.Type<typeof CardholderDetail> {}

/**
 * A cardholder's personal data as the service sends it, in plain text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardholderDetailWire = Schema.Struct(
  detail(Schema.String.pipe(Sensitive.mark))
).annotations({ identifier: "CardholderDetail" })

/**
 * @since 0.1.0
 * @category models
 */
export interface CardholderDetailWire extends Schema.Schema.Type<typeof CardholderDetailWire> {}
