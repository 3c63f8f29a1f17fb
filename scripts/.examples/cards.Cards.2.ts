import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Effect from "effect/Effect"

const card = Effect.gen(function* () {
  const cards = yield* Cards.Cards
  return yield* cards.issue(
    {
      customer_id: "5a1d0c7e-3f43-4f0e-8f7b-1c2d3e4f5a6b",
      wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
      debit_currency: "XOF",
      initial_balance: "10"
    },
    { key: IdempotencyKey.derive("card", "employee-7") }
  )
})
