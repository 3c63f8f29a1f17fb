/**
 * Virtual cards in USD, paid from a wallet at the current exchange rate (interface sections 2.7, 4.11
 * and 4.12).
 */
import * as Card from "@manilla/cards/Card"
import * as Currency from "@manilla/core/Currency"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import * as amounts from "../money/amounts.js"
import * as ledger from "../money/ledger.js"
import * as pricing from "../money/pricing.js"
import { unpaid } from "../money/wallets.js"
import * as pages from "../rules/pages.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Cardholders } from "./cardholders.js"
import type { Core, Handlers } from "./core.js"

type Row = typeof state.CardRow.Type

const usd = Currency.Currency.make("USD")

export const make = (
  { book, identifiers, oncePerKey, state, wallets }: Core,
  cardholders: Cardholders
) => {
  const rows = state.cards
  /** The number of cards per cardholder. */
  const counts = new Map<string, number>()
  const count = ({ virtual_card_customer_id: holder }: Row) => {
    counts.set(holder, 1 + (counts.get(holder) ?? 0))
  }
  for (const row of rows.all()) count(row)

  const issue = (request: Card.CardRequest, nowMillis: number) =>
    Either.gen(function* () {
      const holder = cardholders.find(request.customer_id)
      if (holder === undefined) {
        const rule = "must be the id of a cardholder"
        return yield* refusal.because("CARDHOLDER_NOT_FOUND", "customer_id", rule)
      }
      const { debit_currency, wallet_id } = request
      const wallet = yield* wallets.debited(wallet_id, debit_currency, "debit_currency")
      const rate = pricing.exchangeRates.get(wallet.currency)
      if (rate === undefined) {
        const rule = "must be a currency in which cards can be paid"
        return yield* refusal.because("CURRENCY_NOT_SUPPORTED", "debit_currency", rule)
      }

      const fee = pricing.cardCreationFeeUsd
      const loaded = amounts.fixed(request.initial_balance ?? "0", pricing.cardDigits)
      const price = amounts.add(fee, loaded)
      const charged_amount = amounts.multiply(price, rate, pricing.cardDigits)
      const reservation = identifiers.reference("RSV")
      yield* book.post(nowMillis, {
        reference: reservation,
        description: "card issued",
        postings: [
          ...ledger.transfer(wallet.available, exchange(wallet.currency), charged_amount),
          ledger.debit(exchange(usd), price),
          ledger.credit({ kind: "fees earned", currency: usd }, fee),
          ledger.credit({ kind: "card float", currency: usd }, loaded)
        ],
        unpaid
      })

      const row: Row = {
        id: Card.CardId.make(identifiers.uuid()),
        virtual_card_customer_id: holder.id,
        provider_reference: identifiers.reference("PRV"),
        issuance_reference: request.idempotency_key,
        charged_amount,
        charged_currency: wallet.currency,
        environment: "SANDBOX",
        card_sequence: 1 + (counts.get(holder.id) ?? 0),
        issuance_fee_usd: fee,
        exchange_rate: rate,
        created_at: moment.fromMillis(nowMillis),
        reservation
      }
      rows.set(row)
      count(row)
      return row.id
    })

  const handlers: Handlers<"Cards.issue" | "Cards.list"> = {
    "Cards.issue": ({ payload }, context) =>
      oncePerKey("Cards.issue", payload.idempotency_key, payload, context, () =>
        issue(payload, context.nowMillis)
      ).pipe(
        Either.flatMap((id) => refusal.found("card", rows.get(id))),
        Either.map(issuanceOf)
      ),
    "Cards.list": ({ urlParams }, { search }) =>
      pages.select(rows.all(), search, urlParams.per_page)
  }

  return { handlers }
}

const exchange = (currency: Currency.Currency) => ({ kind: "currency exchange", currency }) as const

const issuanceOf = (row: Row): Card.Issuance => {
  const { charged_amount, charged_currency, issuance_fee_usd, reservation } = row
  return {
    card: Struct.omit(row, "issuance_fee_usd", "exchange_rate", "created_at", "reservation"),
    pricing: {
      card_currency: usd,
      card_creation_fee_usd: issuance_fee_usd,
      wallet_debit: { amount: charged_amount, currency: charged_currency }
    },
    reservation: { reference: reservation, status: "CAPTURED" }
  }
}
