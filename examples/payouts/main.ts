/**
 * Sends a payout twice with one key, which pays once. Then it sends one that exceeds the wallet's balance.
 * Takes 6 seconds.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Fault } from "@manilla/sandbox"
import { Effect } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const program = Effect.gen(function* () {
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Payouts.create", count: 2 }))
  )
  const payouts = yield* Payouts.Payouts
  const request = {
    wallet_id: yield* Example.wallet("XOF"),
    amount: "250000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
  const key = IdempotencyKey.derive("payouts", "bonus", "employee-7")

  const paid = yield* payouts.disburse(request, { key })
  yield* Timeline.print(
    "paid",
    `${paid.amount} ${paid.currency}, ${paid.reference}: ${paid.status}`
  )

  const again = yield* payouts.disburse(request, { key })
  yield* Timeline.print("again", `${again.reference}: same key, same payout`)

  const tooMuch = { ...request, amount: "999999999999" }
  yield* payouts
    .disburse(tooMuch, { key: IdempotencyKey.derive("payouts", "bonus", "everyone") })
    .pipe(
      Effect.catchTag("UnprocessableError", ({ message }) => Timeline.print("refused", message))
    )

  yield* Example.onSandbox(({ payouts, wallets }) =>
    Effect.gen(function* () {
      yield* Timeline.print("sandbox", `${(yield* payouts).length} payout exists`)
      for (const { available, currency, reserved } of yield* wallets) {
        yield* Timeline.print("wallet", `${available} ${currency}, ${reserved} reserved`)
      }
    })
  )
})

Example.run("Paying a beneficiary", program)
