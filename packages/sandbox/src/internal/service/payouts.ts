/**
 * Payouts. Creation reserves the funds, and settlement takes them from the wallet (interface sections
 * 2.5, 4.5 and 4.6).
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Metadata from "@manilla/core/Metadata"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Wallet from "@manilla/core/Wallet"
import * as Payout from "@manilla/payouts/Payout"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Outcome } from "../../Outcome.js"
import * as outcomes from "../faults/outcomes.js"
import * as amounts from "../money/amounts.js"
import * as ledger from "../money/ledger.js"
import * as pricing from "../money/pricing.js"
import * as wallets from "../money/wallets.js"
import * as refusal from "../rules/refusal.js"
import type { Rule } from "../rules/refusal.js"
import * as settling from "../rules/settling.js"
import * as table from "../store/table.js"
import * as moment from "../time/moment.js"
import * as catalogue from "./catalogue.js"
import type { Core } from "./core.js"

const Row = Schema.Struct({
  ...Payout.CreatedPayoutWire.fields,
  country: Country.Country,
  destination: Schema.String,
  wallet_id: Wallet.WalletId,
  created_at: Timestamp.Timestamp,
  updated_at: Timestamp.Timestamp,
  provider_reference: Schema.String,
  idempotency_key: IdempotencyKey.IdempotencyKey,
  fee_amount: Amount.Amount,
  metadata: Metadata.Metadata
})

type Row = typeof Row.Type

export const declared = table.table(Row, ({ reference }) => reference)

const operation = "PAYOUT"

export const make = (core: Core, rows: table.Table<Row>) => {
  const { book, identifiers, services, transactions } = core
  const keys = core.keys("Payouts.create")

  const pay = (row: Row, atMillis: number) => {
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
    return Either.map(posted, (entry) => {
      transactions.record(atMillis, { ...row, source: reference, operation })
      return entry
    })
  }

  const release = (row: Row, atMillis: number) =>
    book.post(atMillis, {
      reference: row.reference,
      description: "payout released",
      postings: wallets.releasing(wallets.accountsOf(row), reservedBy(row))
    })

  const move = (row: Row, status: string, atMillis: number) =>
    Either.map(status === "COMPLETED" ? pay(row, atMillis) : release(row, atMillis), () => status)

  const resources = settling.make({ ...core, rows, kind: "payout", move })

  /** Reserves the funds, or refuses the payout. */
  const add = (
    request: Payout.PayoutRequest,
    idempotency_key: IdempotencyKey.IdempotencyKey,
    wallet: wallets.Accounts,
    outcome: Outcome | undefined,
    nowMillis: number
  ): Either.Either<string, refusal.Refusal> => {
    const now = moment.fromMillis(nowMillis)
    const reference = Payout.PayoutReference.make(identifiers.reference("PYT"))
    const provider_reference = identifiers.reference("PRV")
    const amount = amounts.fixed(request.amount)
    const row: Row = {
      id: Payout.PayoutId.make(identifiers.uuid()),
      reference,
      wallet_id: wallet.wallet_id,
      amount,
      currency: wallet.currency,
      country: Country.Country.make(request.country),
      payment_method: request.payment_method,
      destination: request.destination,
      status: "PENDING",
      created_at: now,
      updated_at: now,
      provider_reference,
      idempotency_key,
      fee_amount: pricing.payoutFee(amount),
      metadata: request.metadata ?? {}
    }
    const posted = book.post(nowMillis, {
      reference,
      description: "payout reserved",
      postings: wallets.reserving(wallet, reservedBy(row))
    })
    return Either.map(posted, () => {
      resources.add(reference, row, outcome, nowMillis)
      return reference
    })
  }

  const find = (reference: string) => refusal.found("payout", rows.get(reference))

  return {
    create:
      (
        request: Payout.PayoutRequest,
        key: IdempotencyKey.IdempotencyKey,
        outcome: Outcome | undefined
      ): Rule<Payout.CreatedPayoutWire> =>
      (nowMillis) =>
        keys
          .once(key, request, nowMillis, () =>
            Either.gen(function* () {
              yield* outcomes.check(outcome)
              const { currency, wallet_id } = request
              const wallet = yield* core.wallets.debited(wallet_id, currency, "currency")
              yield* catalogue.checkAvailable(services, { ...request, operation })
              return yield* add(request, key, wallet, outcome, nowMillis)
            })
          )
          .pipe(
            Either.flatMap(find),
            // The response to the creation is repeated for its key.
            Either.map((row) => ({ ...row, status: "PENDING" }))
          ),
    get:
      (reference: string): Rule<Payout.PayoutWire> =>
      () =>
        find(reference),
    all: () => rows.all().map((row) => ({ ...row, destination: Redacted.make(row.destination) })),
    /** Settles a payout. Returns `false` if no such payout is PENDING. */
    settle: resources.settle
  }
}

/** The amount plus the fee. */
const reservedBy = ({ amount, fee_amount }: Row): Amount.Amount => amounts.add(amount, fee_amount)
