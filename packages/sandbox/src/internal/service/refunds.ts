/**
 * Refunds (interface sections 2.6 and 4.7). A control of the sandbox creates them.
 */
import * as Amount from "@manilla/core/Amount"
import * as Refund from "@manilla/refunds/Refund"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { RefundRequest } from "../../ControlApi.js"
import * as amounts from "../money/amounts.js"
import * as ledger from "../money/ledger.js"
import * as wallets from "../money/wallets.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Core, Handlers } from "./core.js"
import * as settling from "./settling.js"
import type { Transactions } from "./transactions.js"

type Row = typeof state.RefundRow.Type

export const make = (core: Core, transactions: Transactions) => {
  const { book, identifiers } = core
  const rows = core.state.refunds
  /** The refunded amount of each transaction. */
  const refunded = new Map<string, Amount.Amount>()
  const count = ({ amount, status, transaction }: Row) => {
    if (status !== "PENDING" && status !== "COMPLETED") return
    refunded.set(transaction, amounts.add(refunded.get(transaction) ?? amounts.zero, amount))
  }
  for (const row of rows.all()) count(row)

  const move = (row: Row, atMillis: number) =>
    Either.gen(function* () {
      const { amount, provider_reference, reference } = row
      const collected = yield* transactions.get(row.transaction)
      const { currency } = collected
      const { reserved } = wallets.accountsOf({ ...row, currency })
      yield* book.post(atMillis, {
        reference,
        description: "refund paid",
        postings: ledger.transfer(reserved, { kind: "provider clearing", currency }, amount)
      })
      transactions.record(atMillis, {
        ...collected,
        source: reference,
        operation: "REFUND",
        amount,
        fee_amount: amounts.fixed("0"),
        provider_reference
      })
      return "COMPLETED"
    })

  /** The collection can then be refunded again. */
  const release = (row: Row, atMillis: number) =>
    Either.gen(function* () {
      const { amount, reference, transaction } = row
      const { currency } = yield* transactions.get(transaction)
      const { available, reserved } = wallets.accountsOf({ ...row, currency })
      yield* book.post(atMillis, {
        reference,
        description: "refund released",
        postings: ledger.transfer(reserved, available, amount)
      })
      refunded.set(transaction, Amount.subtract(refunded.get(transaction) ?? amount, amount))
    })

  const add = settling.make(core, "refund", rows, { move, release })

  const handlers: Handlers<"Refunds.get"> = {
    "Refunds.get": ({ path }) => refusal.found("refund", rows.get(path.reference))
  }

  return {
    handlers,
    /** Refunds a collected transaction, or a part of it. */
    create: ({ amount, reason, transaction }: typeof RefundRequest.Type, nowMillis: number) =>
      Either.gen(function* () {
        const issues = [{ field: "transaction", rule: "must be the reference of a transaction" }]
        const collected = yield* Either.mapLeft(transactions.get(transaction), ({ message }) =>
          refusal.of("NOT_FOUND", { status: 422, message, issues })
        )
        if (collected.operation !== "COLLECTION" && collected.operation !== "DEPOSIT") {
          const rule = "must be a collection or a deposit"
          return yield* refusal.because("NOT_REFUNDABLE", "transaction", rule)
        }
        const left = Amount.subtract(collected.amount, refunded.get(transaction) ?? amounts.zero)
        const requested = isAmount(amount ?? left) ? amounts.fixed(amount ?? left) : amounts.zero
        if (!amounts.isPositive(requested)) {
          return yield* amount === undefined
            ? refusal.because("ALREADY_REFUNDED", "transaction", "must not be fully refunded")
            : refusal.because("INVALID_AMOUNT", "amount", "must be greater than zero")
        }
        if (Amount.Order(requested, left) > 0) {
          return yield* refusal.because(
            "REFUND_TOO_LARGE",
            "amount",
            "must not exceed what is left"
          )
        }

        const now = moment.fromMillis(nowMillis)
        const reference = Refund.RefundReference.make(identifiers.reference("RFD"))
        // The wallet that received the collection pays the full amount. The service keeps its fee.
        const wallet = core.wallets.collecting(collected.currency)
        const row: Row = {
          id: Refund.RefundId.make(identifiers.uuid()),
          reference,
          amount: requested,
          reason: reason ?? "Requested by the payer",
          provider_reference: identifiers.reference("PRV"),
          status: "PENDING",
          created_at: now,
          updated_at: now,
          transaction: collected.reference,
          wallet_id: wallet.wallet_id
        }
        yield* book.post(nowMillis, {
          reference,
          description: "refund reserved",
          postings: ledger.transfer(wallet.available, wallet.reserved, requested),
          unpaid: { field: "transaction", rule: "must be of a wallet that has the amount" }
        })
        count(row)
        add(reference, row, undefined, nowMillis)
        return asRead(row)
      })
  }
}

const asRead = Struct.omit("transaction", "wallet_id")

const isAmount = Schema.is(Amount.Input)
