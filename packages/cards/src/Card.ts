/**
 * Virtual cards in USD. A wallet pays the fee of their issuance. No
 * response in the interface contains the card number, the security code or the PIN.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Environment from "@manilla/core/Environment"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Schema from "effect/Schema"
import * as Cardholder from "./Cardholder.js"

/**
 * The id of a card, a UUID.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardId = Identifier.uuid("CardId")

/**
 * @since 0.1.0
 * @category models
 */
export type CardId = typeof CardId.Type

/**
 * The body of `POST /cards`. The interface does not state which fields are required: Manilla requires
 * the cardholder, the wallet, the debit currency and the key.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CardRequest = Schema.Struct({
  /** The cardholder's id. */
  customer_id: Identifier.Uuid,
  /** The wallet to debit. */
  wallet_id: Identifier.Uuid,
  idempotency_key: IdempotencyKey.InBody,
  debit_currency: Currency.Input,
  /** At least 0. The interface does not state its currency. */
  initial_balance: Schema.optional(Amount.Input),
  category: Schema.optional(Schema.NullOr(Schema.Literal("PERSONAL", "BUSINESS"))),
  grade: Schema.optional(Schema.NullOr(Schema.Literal("STANDARD", "PREMIUM")))
}).annotations({
  identifier: "CardRequest",
  examples: [
    {
      customer_id: "0b7d7a63-6d0f-4d58-a0a4-3f3d3c1de2a5",
      wallet_id: "5f55ea59-4182-4c33-980c-818b9384ebeb",
      idempotency_key: IdempotencyKey.InBody.make("card-42"),
      debit_currency: "XOF",
      initial_balance: "10"
    }
  ]
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CardRequest extends Schema.Schema.Type<typeof CardRequest> {}

const fields = {
  id: CardId,
  /** The idempotency key of the request. */
  issuance_reference: Schema.String,
  virtual_card_customer_id: Schema.optional(Cardholder.CardholderId),
  provider_reference: Schema.optional(Schema.NullOr(Schema.String)),
  charged_amount: Schema.optional(Amount.Amount),
  charged_currency: Schema.optional(Currency.Currency),
  environment: Schema.optional(Environment.Environment),
  card_sequence: Schema.optional(Schema.Int)
}

/**
 * The result of an issuance: the card, its price, and the reservation on the wallet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Issuance = Schema.Struct({
  card: Schema.Struct(fields),
  pricing: Schema.optional(
    Schema.Struct({
      card_currency: Schema.optional(Schema.String),
      card_creation_fee_usd: Schema.optional(Amount.Amount),
      wallet_debit: Schema.optional(
        Schema.Struct({ amount: Amount.Amount, currency: Currency.Currency })
      )
    })
  ),
  reservation: Schema.optional(
    Schema.Struct({
      reference: Schema.optional(Schema.String),
      /** `CAPTURED`, or another string. The interface does not list the other values. */
      status: OpenEnum.make("CAPTURED")
    })
  )
}).annotations({ identifier: "Issuance" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Issuance extends Schema.Schema.Type<typeof Issuance> {}

/**
 * A card in a list.
 * Only the fields that every caller needs are required; a response without the others is valid too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Card = Schema.Struct({
  ...fields,
  issuance_fee_usd: Schema.optional(Amount.Amount),
  exchange_rate: Schema.optional(Amount.Amount),
  created_at: Schema.optional(Timestamp.Timestamp)
}).annotations({ identifier: "Card" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Card extends Schema.Schema.Type<typeof Card> {}
