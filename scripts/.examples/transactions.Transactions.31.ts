import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const fees = Effect.gen(function* () {
  const transactions = yield* Transactions.Transactions
  return yield* transactions.stream({ currency: "XOF" }).pipe(
    Stream.map(({ fee_amount }) => fee_amount),
    Stream.runCollect
  )
})
