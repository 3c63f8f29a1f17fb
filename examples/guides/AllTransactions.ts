import { Transactions } from "@manilla/transactions"
import { Effect, Stream } from "effect"

/** Stores every transaction once. `store` is yours: a row with a known reference replaces the old one. */
export const copyAll = (
  store: (reference: string, amount: string) => Effect.Effect<void>,
  from = 1
) =>
  Effect.gen(function* () {
    const transactions = yield* Transactions.Transactions
    yield* transactions
      .stream({ status: "COMPLETED" }, { from })
      .pipe(Stream.runForEach(({ amount, reference }) => store(reference, amount)))
  })
