/**
 * Payouts. Creation reserves the funds, and settlement takes them from the wallet (interface sections
 * 2.5, 4.5 and 4.6).
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import type { OperationKind } from "@manilla/core/OperationKind"
import * as Payout from "@manilla/payouts/Payout"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import type { StoredPayout } from "../Sandbox.js"
import type { Agenda } from "./agenda.js"
import * as catalogue from "./catalogue.js"
import * as idempotency from "./idempotency.js"
import type { Identifiers } from "./identifiers.js"
import * as ledger from "./ledger.js"
import * as moment from "./moment.js"
import * as money from "./money.js"
import * as pricing from "./pricing.js"
import * as refusal from "./refusal.js"
import type { Rule } from "./rule.js"
import type { Movement, Transactions } from "./transactions.js"
import * as wallets from "./wallets.js"

export interface Options {
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly book: ledger.Book
  readonly wallets: wallets.Wallets
  readonly transactions: Transactions
  readonly settleAfterMillis: number
  /** Called when a key returns a stored result. */
  readonly onReplay: () => void
  readonly services: ReadonlyArray<AvailableService>
}

export interface Payouts {
  readonly create: (
    request: Payout.PayoutRequest,
    key: IdempotencyKey
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

interface Stored {
  /** The response to the creation, which is repeated for its key. */
  readonly created: Payout.CreatedPayoutWire
  readonly wallet: wallets.Accounts
  /** The amount plus the fee. */
  readonly reserved: Amount.Amount
  readonly movement: Movement
  current: StoredPayout
}

const operation: OperationKind = "PAYOUT"

export const make = (options: Options): Payouts => {
  const { agenda, book, identifiers, services, settleAfterMillis, transactions } = options
  const byReference = new Map<string, Stored>()
  const keys = idempotency.make<Stored>(options.onReplay)

  const settle = (stored: Stored, atMillis: number, status: Payout.Status): boolean => {
    if (stored.current.status !== "PENDING" || status === "PENDING") return false
    const hasMoved =
      status === "COMPLETED"
        ? Either.isRight(pay(stored, atMillis))
        : Either.isRight(release(stored, atMillis))
    if (!hasMoved) return false
    stored.current = { ...stored.current, status, updated_at: moment.fromMillis(atMillis) }
    return true
  }

  const pay = ({ movement, reserved, wallet }: Stored, atMillis: number) => {
    const { currency } = wallet
    const posted = book.post(atMillis, {
      reference: movement.source,
      description: "payout paid",
      postings: [
        ledger.debit(wallet.reserved, reserved),
        ledger.credit({ kind: "provider clearing", currency }, movement.amount),
        ledger.credit({ kind: "fees earned", currency }, movement.fee_amount)
      ]
    })
    return Either.map(posted, () => transactions.record(atMillis, movement))
  }

  const release = ({ movement, reserved, wallet }: Stored, atMillis: number) =>
    book.post(atMillis, {
      reference: movement.source,
      description: "payout released",
      postings: wallets.releasing(wallet, reserved)
    })

  /** Reserves the funds, or refuses the payout. */
  const add = (
    request: Payout.PayoutRequest,
    key: IdempotencyKey,
    wallet: wallets.Accounts,
    nowMillis: number
  ): Either.Either<Stored, refusal.Refusal> => {
    const now = moment.fromMillis(nowMillis)
    const reference = Payout.PayoutReference.make(identifiers.reference("PYT"))
    const provider_reference = identifiers.reference("PRV")
    const amount = money.fixed(request.amount)
    const fee_amount = pricing.payoutFee(amount)
    const echoed = {
      amount,
      country: Country.Country.make(request.country),
      currency: wallet.currency
    }
    const movement: Movement = {
      ...echoed,
      source: reference,
      operation,
      fee_amount,
      provider_reference,
      metadata: request.metadata ?? {}
    }
    const created: Payout.CreatedPayoutWire = {
      ...echoed,
      id: Payout.PayoutId.make(identifiers.uuid()),
      reference,
      wallet_id: wallet.id,
      payment_method: request.payment_method,
      destination: request.destination,
      status: "PENDING",
      created_at: now
    }
    const stored: Stored = {
      created,
      wallet,
      reserved: money.add(amount, fee_amount),
      movement,
      current: {
        ...created,
        destination: Redacted.make(request.destination),
        provider_reference,
        updated_at: now,
        idempotency_key: key,
        fee_amount,
        metadata: movement.metadata
      }
    }
    const posted = book.post(nowMillis, {
      reference,
      description: "payout reserved",
      postings: wallets.reserving(wallet, stored.reserved)
    })
    return Either.map(posted, () => {
      byReference.set(reference, stored)
      agenda.plan(nowMillis + settleAfterMillis, (atMillis) => {
        settle(stored, atMillis, "COMPLETED")
      })
      return stored
    })
  }

  const create: Payouts["create"] = (request, key) => (nowMillis) =>
    Either.map(
      keys.once(key, request, () =>
        Either.gen(function* () {
          const { currency, wallet_id } = request
          const wallet = yield* options.wallets.debited(wallet_id, currency, "currency")
          yield* catalogue.checkAvailable(services, { ...request, operation })
          return yield* add(request, key, wallet, nowMillis)
        })
      ),
      ({ created }) => created
    )

  return {
    create,
    get: (reference) => () => {
      const stored = byReference.get(reference)
      return stored === undefined ? Either.left(unknown) : Either.right(readShape(stored))
    },
    all: () => Array.from(byReference.values(), ({ current }) => current),
    settle: (reference, status, nowMillis) => {
      const stored = byReference.get(reference)
      return stored !== undefined && settle(stored, nowMillis, status)
    }
  }
}

const unknown = refusal.notFound("NOT_FOUND", "The payout does not exist.")

const readShape = ({ created, current }: Stored): Payout.PayoutWire => ({
  ...Struct.omit(current, "idempotency_key", "wallet_id", "fee_amount", "metadata"),
  destination: created.destination
})
