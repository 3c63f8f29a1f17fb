/**
 * Payouts. Creation reserves the funds, and settlement takes them from the wallet (interface sections
 * 2.5, 4.5 and 4.6).
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Metadata from "@manilla/core/Metadata"
import type { OperationKind } from "@manilla/core/OperationKind"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Wallet from "@manilla/core/Wallet"
import * as Payout from "@manilla/payouts/Payout"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Outcome } from "../../Outcome.js"
import type { StoredPayout } from "../../Sandbox.js"
import * as outcomes from "../faults/outcomes.js"
import * as money from "../money/amounts.js"
import * as ledger from "../money/ledger.js"
import * as pricing from "../money/pricing.js"
import * as wallets from "../money/wallets.js"
import * as idempotency from "../rules/idempotency.js"
import type { Identifiers } from "../rules/identifiers.js"
import type { Rule } from "../rules/refusal.js"
import * as refusal from "../rules/refusal.js"
import * as settling from "../rules/settling.js"
import * as table from "../store/table.js"
import type { Agenda } from "../time/agenda.js"
import * as moment from "../time/moment.js"
import * as catalogue from "./catalogue.js"
import type { Transactions } from "./transactions.js"

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

export type Row = typeof Row.Type

export const declared = table.table(Row, ({ reference }) => reference)

export interface Options extends idempotency.Options {
  readonly rows: table.Table<Row>
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly book: ledger.Book
  readonly wallets: wallets.Wallets
  readonly transactions: Transactions
  readonly settleAfterMillis: number
  readonly services: ReadonlyArray<AvailableService>
}

export interface Payouts {
  readonly create: (
    request: Payout.PayoutRequest,
    key: IdempotencyKey.IdempotencyKey,
    outcome: Outcome | undefined
  ) => Rule<Payout.CreatedPayoutWire>
  readonly get: (reference: Payout.PayoutReference) => Rule<Payout.PayoutWire>
  readonly all: () => ReadonlyArray<StoredPayout>
  /** Settles a payout. Returns `false` if no such payout is PENDING. */
  readonly settle: (
    reference: Payout.PayoutReference,
    status: Payout.Status,
    nowMillis: number
  ) => boolean
}

const operation: OperationKind = "PAYOUT"

export const make = (options: Options): Payouts => {
  const { book, identifiers, rows, services, transactions } = options
  const keys = idempotency.make(options, "Payouts.create")

  const move = (row: Row, status: string, atMillis: number) => {
    const moved: Either.Either<unknown, refusal.Refusal> =
      status === "COMPLETED" ? pay(row, atMillis) : release(row, atMillis)
    return Either.map(moved, () => status)
  }

  const pay = (row: Row, atMillis: number) => {
    const { amount, country, currency, fee_amount, metadata, provider_reference, reference } = row
    const posted = book.post(atMillis, {
      reference,
      description: "payout paid",
      postings: [
        ledger.debit(wallets.accountsOf(row).reserved, reservedBy(row)),
        ledger.credit({ kind: "provider clearing", currency }, amount),
        ledger.credit({ kind: "fees earned", currency }, fee_amount)
      ]
    })
    return Either.map(posted, () =>
      transactions.record(atMillis, {
        source: reference,
        operation,
        amount,
        fee_amount,
        currency,
        country,
        provider_reference,
        metadata
      })
    )
  }

  const release = (row: Row, atMillis: number) =>
    book.post(atMillis, {
      reference: row.reference,
      description: "payout released",
      postings: wallets.releasing(wallets.accountsOf(row), reservedBy(row))
    })

  const resources = settling.make({ ...options, kind: "payout", move })

  /** Reserves the funds, or refuses the payout. */
  const add = (
    request: Payout.PayoutRequest,
    key: IdempotencyKey.IdempotencyKey,
    wallet: wallets.Accounts,
    outcome: Outcome | undefined,
    nowMillis: number
  ): Either.Either<string, refusal.Refusal> => {
    const now = moment.fromMillis(nowMillis)
    const reference = Payout.makeReference(identifiers.reference("PYT"))
    const provider_reference = identifiers.reference("PRV")
    const amount = money.fixed(request.amount)
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
      idempotency_key: key,
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

  const find = (reference: string): Either.Either<Row, refusal.Refusal> =>
    Either.fromNullable(rows.get(reference), () => unknown)

  return {
    create: (request, key, outcome) => (nowMillis) =>
      keys
        .once(key, request, nowMillis, () =>
          Either.gen(function* () {
            yield* outcomes.check(outcome)
            const { currency, wallet_id } = request
            const wallet = yield* options.wallets.debited(wallet_id, currency, "currency")
            yield* catalogue.checkAvailable(services, { ...request, operation })
            return yield* add(request, key, wallet, outcome, nowMillis)
          })
        )
        .pipe(Either.flatMap(find), Either.map(createdShape)),
    get: (reference) => () => Either.map(find(reference), readShape),
    all: () => rows.all().map((row) => ({ ...row, destination: Redacted.make(row.destination) })),
    settle: resources.settle
  }
}

const unknown = refusal.notFound("The payout does not exist.")

/** The amount plus the fee. */
const reservedBy = ({ amount, fee_amount }: Row): Amount.Amount => money.add(amount, fee_amount)

/** The response to the creation, which is repeated for its key. */
const createdShape = (row: Row): Payout.CreatedPayoutWire => ({
  ...Struct.omit(
    row,
    "provider_reference",
    "updated_at",
    "idempotency_key",
    "fee_amount",
    "metadata"
  ),
  status: "PENDING"
})

const readShape = Struct.omit("idempotency_key", "wallet_id", "fee_amount", "metadata")
