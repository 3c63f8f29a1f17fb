/**
 * Cardholders, to whom cards are issued.
 *
 * @since 0.1.0
 */
import * as Environment from "@manilla/core/Environment"
import * as Identifier from "@manilla/core/Identifier"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The id of a cardholder, by which it is read.
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
 * Returns stored text as an id. Throws a `ParseError` if it is not a UUID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeId = (text: string): CardholderId => CardholderId.make(text)

/**
 * A cardholder in a list, without personal data.
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

/** The fields of a cardholder's personal data. `text` is the schema of the personal fields. */
const detail = <Text extends Schema.Schema.Any>(text: Text) => {
  const personal = Schema.optional(Schema.NullOr(text))
  return {
    /** Required, because otherwise any object would match the schema. */
    reference: Schema.String,
    is_business: Schema.optional(Schema.Boolean),
    first_name: personal,
    last_name: personal,
    email: personal,
    /** The dialling code, digits only. */
    country_code: personal,
    /** The phone number, digits only. */
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
 * A cardholder's personal data. All fields except `reference` and `is_business` are `Redacted`: they
 * print as `<redacted>`, and `Redacted.value` returns their values.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardholderDetail = Schema.Struct(detail(Schema.Redacted(Schema.String))).annotations({
  identifier: "RedactedCardholderDetail"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CardholderDetail extends Schema.Schema.Type<typeof CardholderDetail> {}

/**
 * The wire format of {@link CardholderDetail}, in plain text.
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
