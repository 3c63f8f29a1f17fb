/**
 * A read of a resource that does not exist.
 */
import { assert, it } from "@effect/vitest"
import * as Cardholder from "@manilla/cards/Cardholder"
import * as Cardholders from "@manilla/cards/Cardholders"
import type * as Errors from "@manilla/core/Errors"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Clients from "@manilla/service/Clients"
import * as Refund from "@manilla/refunds/Refund"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Transactions from "@manilla/transactions/Transactions"
import { codeOf, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"

const uuid = "00000000-0000-4000-8000-000000000000"

const reads: Readonly<Record<string, Effect.Effect<unknown, Errors.ReadError, Clients.Clients>>> = {
  payment: Effect.flatMap(Payments.Payments, ({ get }) => get(PaymentIntent.makeId(uuid))),
  payout: Effect.flatMap(Payouts.Payouts, ({ get }) => get(Payout.makeReference("PYT-NONE"))),
  refund: Effect.flatMap(Refunds.Refunds, ({ get }) => get(Refund.makeReference("RFD-NONE"))),
  transaction: Effect.flatMap(Transactions.Transactions, ({ get }) =>
    get(Transaction.makeReference("TRX-NONE"))
  ),
  "payment link": Effect.flatMap(PaymentLinks.PaymentLinks, ({ get }) =>
    get(PaymentLink.makeId(uuid))
  ),
  cardholder: Effect.flatMap(Cardholders.Cardholders, ({ get }) => get(Cardholder.makeId(uuid)))
}

for (const [resource, read] of Object.entries(reads)) {
  it.effect(`a ${resource} that does not exist is a NotFoundError`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read)
      assert.strictEqual(error._tag, "NotFoundError")
      assert.strictEqual(codeOf(error), "NOT_FOUND")
    }).pipe(Effect.provide(layer()))
  )
}
