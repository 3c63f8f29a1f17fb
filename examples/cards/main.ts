/**
 * Issues a virtual card to a cardholder. A second call with the same key returns the same card.
 * Takes 5 seconds.
 */
import { Cardholders, Cards } from "@manilla/cards"
import { IdempotencyKey } from "@manilla/core"
import { Fault } from "@manilla/sandbox"
import { Effect, Redacted } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const program = Effect.gen(function* () {
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Cards.issue", count: 2 }))
  )
  const cardholders = yield* Cardholders.Cardholders
  const [first] = (yield* cardholders.list()).data
  if (first === undefined) return yield* Timeline.print("holder", "there is no cardholder")

  // Personal data prints as <redacted>. `Redacted.value` reveals it.
  const holder = yield* cardholders.get(first.id)
  yield* Timeline.print("holder", `${holder.first_name} ${holder.last_name}`)
  const name = holder.billing_name ? Redacted.value(holder.billing_name) : "unnamed"
  yield* Timeline.print("revealed", name)

  const cards = yield* Cards.Cards
  const request = {
    customer_id: first.id,
    wallet_id: yield* Example.wallet("XOF"),
    debit_currency: "XOF",
    initial_balance: "10"
  }
  const key = IdempotencyKey.derive("cards", first.id)
  const { card, pricing, reservation } = yield* cards.issue(request, { key })
  yield* Timeline.print(
    "issued",
    `card ${card.card_sequence}, reference ${card.issuance_reference}`
  )
  yield* Timeline.print("fee", `${pricing?.card_creation_fee_usd} ${pricing?.card_currency}`)
  yield* Timeline.print(
    "charged",
    `${card.charged_amount} ${card.charged_currency}, ${reservation?.status}`
  )
  const again = yield* cards.issue(request, { key })
  yield* Timeline.print(
    "again",
    again.card.id === card.id ? "same key, same card" : "a second card!"
  )

  for (const { charged_amount, charged_currency, exchange_rate } of (yield* cards.list()).data) {
    yield* Timeline.print("listed", `${charged_amount} ${charged_currency} at ${exchange_rate}`)
  }
})

Example.run("Issuing a card", program)
