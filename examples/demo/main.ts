/**
 * The whole service in one run, from a payment to the ledger. It collects a payment although the first
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
import { Config, Console, DateTime, Effect, Option } from "effect"
import * as Example from "../support/Example.js"
import { print } from "../support/Timeline.js"
import { trialBalance } from "../support/TrialBalance.js"

const money = { country: "BJ", currency: "XOF", payment_method: "mtn_momo" } as const

/**
 * All idempotency keys are derived from this name, so a second run with the same name moves no money
 * again. Links have no key: the demo creates a new link if the last one was paid or is older than a day.
 */
const name = Config.withDefault(Config.string("MANILLA_ORDER"), "42")

/** The phone to charge: an invented number in a sandbox, required otherwise. */
const phone = Effect.gen(function* () {
  const { environment } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) =>
    get(Infinity)
  )
  const given = Config.string("MANILLA_PHONE")
  return yield* environment === "SANDBOX" ? Config.withDefault(given, "+2290161234567") : given
})

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
  const key = IdempotencyKey.derive("demo", "order", yield* name)
  yield* print("collect", `1500 XOF under the key ${key}`)
  const payment = yield* payments.collect(
    { ...money, amount: "1500", payer: { phone_number: yield* phone } },
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
      destination: yield* phone
    },
    { key: IdempotencyKey.derive("demo", "payout", yield* name), wait: { initial: "500 millis" } }
  )
  yield* print("paid out", `${payout.amount} ${payout.currency}: ${payout.status}`)
})

/** The interface does not show how to request a refund, so the sandbox requests it. */
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
  const request = {
    amount: "5000",
    currency: "XOF",
    country: "BJ",
    max_uses: 1,
    metadata: { demo: yield* name }
  }
  // Links have no key, so look for a link of an earlier run before creating one.
  const since = DateTime.subtract(yield* DateTime.now, { days: 1 })
  const [earlier] = yield* links.candidates(request, { since })
  const link = earlier ?? (yield* links.create(request))
  yield* print("link", link.checkout_url)
  yield* Example.onSandbox(({ payLink }) => payLink({ id: link.id }))
  const { status, use_count } = yield* links.get(link.id)
  yield* print("link", `used ${use_count} of ${link.max_uses}: ${status}`)
})

const issueCard = Effect.gen(function* () {
  const cardholders = yield* Cardholders.Cardholders
  const [holder] = (yield* cardholders.list({ per_page: 1 })).data
  if (holder === undefined) return yield* print("card", "there is no cardholder")
  const { first_name } = yield* cardholders.get(holder.id)
  const cards = yield* Cards.Cards
  const { card, reservation } = yield* cards.issue(
    {
      customer_id: holder.id,
      wallet_id: yield* Example.wallet("XOF"),
      debit_currency: "XOF",
      initial_balance: "10"
    },
    // The cardholder is not part of the key: a second run may list another one first, but must not
    // issue a second card.
    { key: IdempotencyKey.derive("demo", "card", yield* name) }
  )
  const charged = `${card.charged_amount} ${card.charged_currency}`
  yield* print("card", `to ${first_name} for ${charged}: ${reservation?.status}`)
})

const lookBack = Example.onSandbox(({ exchanges, ledger, paymentIntents }) =>
  Effect.gen(function* () {
    const creations = (yield* exchanges).filter(({ operation }) => operation === "Payments.create")
    yield* Console.log(`\nRequests to create the payment\n\n${Exchange.timeline(creations)}`)
    yield* Console.log(`\n${(yield* paymentIntents).length} payment was made.`)
    yield* Console.log(`\nThe ledger\n\n${trialBalance(yield* ledger)}\n`)
  })
)

const program = Effect.gen(function* () {
  // Fail on missing configuration before any money moves.
  yield* Effect.all([Example.wallet("XOF"), phone])
  yield* lookAround
  yield* collect
  const transaction = yield* lookUp
  yield* disburse
  if (transaction !== undefined) yield* refund(transaction)
  yield* sellByLink
  yield* issueCard
  yield* lookBack
})

Example.run("The whole service", program, { live: true })
