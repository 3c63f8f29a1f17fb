/**
 * Payouts: money sent from a wallet to a beneficiary.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Identifier from "@manilla/core/Identifier"
import * as Metadata from "@manilla/core/Metadata"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Text from "@manilla/core/Text"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Wallet from "@manilla/core/Wallet"
import * as Schema from "effect/Schema"

/**
 * The id of a payout, a UUID. A payout is read by its reference instead.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutId = Identifier.uuid("PayoutId")

/**
 * The reference of a payout, by which it is read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutReference = Identifier.reference("PayoutReference")

/**
 * @since 0.1.0
 * @category models
 */
export type PayoutReference = typeof PayoutReference.Type

/**
 * Returns stored text as a reference. Throws a `ParseError` if it is empty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeReference = (text: string): PayoutReference => PayoutReference.make(text)

/**
 * The status of a payout: `PENDING` on creation, `COMPLETED`, or another string. The interface does not
 * list the other values.
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

/**
 * The body of `POST /payouts`. The interface does not state which fields are required: Manilla requires
 * all except `metadata`. It does not state limits of `destination` either.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutRequest = Schema.Struct({
  wallet_id: Identifier.Uuid,
  amount: Amount.Input,
  currency: Currency.Input,
  country: Country.Input,
  payment_method: Text.atMost(60),
  /** The beneficiary's phone number. */
  destination: Schema.String.pipe(Sensitive.mark),
  metadata: Schema.optional(Metadata.Input)
}).annotations({
  identifier: "PayoutRequest",
  examples: [
    {
      wallet_id: "5f55ea59-4182-4c33-980c-818b9384ebeb",
      amount: "1000",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290100000000"
    }
  ]
})

/**
 * @since 0.1.0
 * @category models
 */
export interface PayoutRequest extends Schema.Schema.Type<typeof PayoutRequest> {}

/** Only the fields that every caller needs are required. `text` is the schema of `destination`. */
const fields = <Text extends Schema.Schema.Any>(text: Text) => ({
  reference: PayoutReference,
  status: Status,
  amount: Amount.Amount,
  currency: Currency.Currency,
  id: Schema.optional(PayoutId),
  country: Schema.optional(Country.Country),
  payment_method: Schema.optional(Schema.String),
  /** The beneficiary's phone number. */
  destination: Schema.optional(text),
  created_at: Schema.optional(Timestamp.Timestamp)
})

const read = {
  provider_reference: Schema.optional(Schema.NullOr(Schema.String)),
  updated_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp))
}

const created = { wallet_id: Schema.optional(Wallet.WalletId) }

const hidden = fields(Schema.Redacted(Schema.String))
const plain = fields(Schema.String.pipe(Sensitive.mark))

/**
 * A payout as returned by a read. Its `destination` prints as `<redacted>`.
 * Only the fields that every caller needs are required; a response without the others is valid too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Payout = Schema.Struct({ ...hidden, ...read }).annotations({
  identifier: "RedactedPayout"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Payout extends Schema.Schema.Type<typeof Payout> {}

/**
 * A payout as returned by its creation. Its `destination` prints as `<redacted>`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatedPayout = Schema.Struct({ ...hidden, ...created }).annotations({
  identifier: "RedactedCreatedPayout"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedPayout extends Schema.Schema.Type<typeof CreatedPayout> {}

/**
 * The wire format of {@link Payout}: `destination` is plain text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutWire = Schema.Struct({ ...plain, ...read }).annotations({ identifier: "Payout" })

/**
 * @since 0.1.0
 * @category models
 */
export interface PayoutWire extends Schema.Schema.Type<typeof PayoutWire> {}

/**
 * The wire format of {@link CreatedPayout}: `destination` is plain text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatedPayoutWire = Schema.Struct({ ...plain, ...created }).annotations({
  identifier: "CreatedPayout"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedPayoutWire extends Schema.Schema.Type<typeof CreatedPayoutWire> {}
