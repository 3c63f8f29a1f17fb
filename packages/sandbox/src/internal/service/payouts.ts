/**
 * Payouts. Creation reserves the funds, and settlement takes them from the wallet (interface sections
 * 2.5, 4.5 and 4.6).
 */
import type * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Payout from "@manilla/payouts/Payout"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as amounts from "../money/amounts.js"
import * as ledger from "../money/ledger.js"
import * as pricing from "../money/pricing.js"
import * as wallets from "../money/wallets.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import * as catalogue from "./catalogue.js"
import type { Core, Handlers } from "./core.js"
import * as settling from "./settling.js"
import type { Transactions } from "./transactions.js"

type Row = typeof state.PayoutRow.Type

const operation = "PAYOUT"

export const make = (core: Core, transactions: Transactions) => {
  const { book, identifiers, oncePerKey } = core
  const rows = core.state.payouts

  const move = (row: Row, atMillis: number) => {
    const { amount, currency, fee_amount, reference } = row
    const posted = book.post(atMillis, {
      reference,
      description: "payout paid",
      postings: [
        ledger.debit(wallets.accountsOf(row).reserved, reservedBy(row)),
        ledger.credit({ kind: "provider clearing", currency }, amount),
        ledger.credit({ kind: "fees earned", currency }, fee_amount)
      ]
    })
    return Either.map(posted, () => {
      transactions.record(atMillis, { ...row, source: reference, operation })
      return "COMPLETED"
    })
  }

  const release = (row: Row, atMillis: number) => {
    const { available, reserved } = wallets.accountsOf(row)
    return book.post(atMillis, {
      reference: row.reference,
      description: "payout released",
      postings: ledger.transfer(reserved, available, reservedBy(row))
    })
  }

  const add = settling.make(core, "payout", rows, { move, release })

  const find = (reference: string) =>
    Either.map(refusal.found("payout", rows.get(reference)), (row) => ({
      ...row,
      destination: Redacted.value(row.destination)
    }))

  const handlers: Handlers<"Payouts.create" | "Payouts.get"> = {
    "Payouts.create": ({ headers, payload }, context) =>
      oncePerKey("Payouts.create", headers["idempotency-key"], payload, context, () =>
        Either.gen(function* () {
          const { country, currency, destination, metadata = {}, payment_method } = payload
          const wallet = yield* core.wallets.debited(payload.wallet_id, currency, "currency")
          const phone = ["destination", destination] as const
          yield* catalogue.check(core, { ...payload, operation }, phone, context)
          const { behaviour, nowMillis } = context
          const now = moment.fromMillis(nowMillis)
          const reference = Payout.PayoutReference.make(identifiers.reference("PYT"))
          const provider_reference = identifiers.reference("PRV")
          const amount = amounts.fixed(payload.amount)
          const row: Row = {
            id: Payout.PayoutId.make(identifiers.uuid()),
            reference,
            wallet_id: wallet.wallet_id,
            amount,
            currency: wallet.currency,
            country: Country.Country.make(country),
            payment_method,
            destination: Redacted.make(destination),
            status: "PENDING",
            created_at: now,
            updated_at: now,
            provider_reference,
            idempotency_key: headers["idempotency-key"],
            fee_amount: pricing.payoutFee(amount),
            metadata
          }
          yield* book.post(nowMillis, {
            reference,
            description: "payout reserved",
            postings: ledger.transfer(wallet.available, wallet.reserved, reservedBy(row)),
            unpaid: wallets.unpaid
          })
          add(reference, row, behaviour, nowMillis)
          return reference
        })
      ).pipe(
        Either.flatMap(find),
        // The response to the creation is repeated for its key.
        Either.map((row) => ({ ...row, status: "PENDING" }))
      ),
    "Payouts.get": ({ path }) => find(path.reference)
  }

  return { handlers }
}

/** The amount plus the fee. */
const reservedBy = ({ amount, fee_amount }: Row): Amount.Amount => amounts.add(amount, fee_amount)
