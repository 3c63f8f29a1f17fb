/**
 * The whole service in one run, always on a sandbox of its own. It collects a payment although the first
 * response is lost, reads its transaction, pays out, refunds, sells with a payment link and issues a card.
 * Takes 9 seconds.
 */
import { Cardholders, Cards } from "@manilla/cards"
import { Catalogue } from "@manilla/catalogue"
import { BearerTokens, IdempotencyKey } from "@manilla/core"
import { PaymentLinks } from "@manilla/payment-links"
import { Payments } from "@manilla/payments"
import { Payouts } from "@manilla/payouts"
import { Refunds } from "@manilla/refunds"
import { Exchange, Fault } from "@manilla/sandbox"
import { Transactions } from "@manilla/transactions"
import { Console, Effect, Option } from "effect"
import * as Example from "../support/Example.js"
import { print } from "../support/Timeline.js"

const money = { country: "BJ", currency: "XOF", payment_method: "mtn_momo" } as const

const phone = "+2290161234567"

const lookAround = Effect.gen(function* () {
  const { environment, scopes } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) =>
    get(Infinity)
  )
  yield* print("token", `for ${environment}, with ${scopes.length} scopes`)
  const catalogue = yield* Catalogue.Catalogue
  const services = yield* catalogue.available({ ...money, operation: "COLLECTION" })
  yield* print("catalogue", `${services.length > 0 ? "mtn_momo collects" : "no"} XOF in Benin`)
})

const collect = Effect.gen(function* () {
  // The service creates the payment, but the response is lost.
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Payments.create" }))
  )
  const payments = yield* Payments.Payments
  const key = IdempotencyKey.derive("demo", "order", "42")
  yield* print("collect", `1500 XOF under the key ${key}`)
  const payment = yield* payments.collect(
    { ...money, amount: "1500", payer: { phone_number: phone } },
    { key, wait: { initial: "500 millis" } }
  )
  yield* print("collected", `${payment.amount} ${payment.currency}: ${payment.status}`)
})

const lookUp = Effect.gen(function* () {
  const transactions = yield* Transactions.Transactions
  const [latest] = (yield* transactions.list({ per_page: 1 })).data
  if (latest === undefined) return undefined
  const { amount, fee_amount, net_amount, reference } = yield* transactions.get(latest.reference)
  yield* print("booked", `${reference}: ${amount} - ${fee_amount} = ${net_amount}`)
  return reference
})

const disburse = Effect.gen(function* () {
  const payouts = yield* Payouts.Payouts
  const payout = yield* payouts.disburse(
    {
      ...money,
      wallet_id: yield* Example.wallet("XOF"),
      amount: "700",
      destination: phone
    },
    { key: IdempotencyKey.derive("demo", "payout", "42"), wait: { initial: "500 millis" } }
  )
  yield* print("paid out", `${payout.amount} ${payout.currency}: ${payout.status}`)
})

/** A control of the sandbox requests the refund. */
const refund = (transaction: Parameters<Transactions.Service["get"]>[0]) =>
  Effect.gen(function* () {
    const requested = yield* Example.onSandbox((sandbox) =>
      sandbox.refund({ transaction, amount: "200", reason: "Item returned" })
    )
    if (Option.isNone(requested)) return
    const refunds = yield* Refunds.Refunds
    const { amount, reason, status } = yield* refunds.awaitFinal(requested.value.reference)
    yield* print("refunded", `${amount}, "${reason}": ${status}`)
  })

const sellByLink = Effect.gen(function* () {
  const links = yield* PaymentLinks.PaymentLinks
  const offer = { amount: "5000", currency: "XOF", country: "BJ", max_uses: 1 }
  const link = yield* links.create(offer)
  yield* print("link", `a page to pay ${link.amount} ${link.currency}`)
  yield* Example.onSandbox(({ payLink }) => payLink({ id: link.id }))
  const { status, use_count } = yield* links.get(link.id)
  yield* print("link", `used ${use_count} of ${link.max_uses}: ${status}`)
})

const issueCard = Effect.gen(function* () {
  const cardholders = yield* Cardholders.Cardholders
  const [holder] = (yield* cardholders.list({ per_page: 1 })).data
  if (holder === undefined) return yield* print("card", "there is no cardholder")
  const cards = yield* Cards.Cards
  const { reservation } = yield* cards.issue(
    {
      customer_id: holder.id,
      wallet_id: yield* Example.wallet("XOF"),
      debit_currency: "XOF",
      initial_balance: "10"
    },
    { key: IdempotencyKey.derive("demo", "card", "42") }
  )
  yield* print("card", `a virtual card with 10 USD: ${reservation?.status}`)
})

const lookBack = Example.onSandbox(({ exchanges, paymentIntents }) =>
  Effect.gen(function* () {
    const creations = (yield* exchanges).filter(({ operation }) => operation === "Payments.create")
    yield* Console.log(`\nRequests to create the payment\n\n${Exchange.timeline(creations)}`)
    yield* Console.log(`\n${(yield* paymentIntents).length} payment was made.\n`)
  })
)

const next = `Next
  npm run sandbox                  a sandbox that stays, with a page that explains each request
  npm run example -- quickstart    the smallest program
  docs/start.md                    your own first payment, in five minutes
`

const program = Effect.gen(function* () {
  yield* lookAround
  yield* collect
  const transaction = yield* lookUp
  yield* disburse
  if (transaction !== undefined) yield* refund(transaction)
  yield* sellByLink
  yield* issueCard
  yield* lookBack
  yield* Console.log(next)
})

Example.run("The whole service", program, { embedded: true })
