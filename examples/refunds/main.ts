/**
 * Follows a refund to its final status. A control of its own sandbox requests one; on another service, set
 * MANILLA_REFUND to a refund's reference. Takes 8 seconds.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Refund, Refunds } from "@manilla/refunds"
import { Config, Effect, Option, Stream } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const collected = Effect.flatMap(Payments.Payments, (payments) =>
  payments.collect(
    {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290161234567" }
    },
    { key: IdempotencyKey.derive("refunds", "order", "42") }
  )
)

/** Collects a payment and requests a partial refund, on the sandbox only. */
const requested = Example.onSandbox((sandbox) =>
  Effect.gen(function* () {
    yield* collected
    const [transaction] = yield* sandbox.transactions
    if (transaction === undefined) return yield* Effect.dieMessage("nothing was collected")
    yield* Timeline.print("collected", `${transaction.amount} in ${transaction.reference}`)
    const options = { amount: "500", reason: "Item returned" }
    return (yield* sandbox.refund({ transaction: transaction.reference, ...options })).reference
  })
)

const program = Effect.gen(function* () {
  const reference = Option.getOrElse(yield* requested, () => undefined)
  const refunds = yield* Refunds.Refunds
  yield* refunds
    .changes(reference ?? Refund.makeReference(yield* Config.string("MANILLA_REFUND")))
    .pipe(
      Stream.runForEach(({ amount, reason, status }) =>
        Timeline.print("refund", `${amount}, "${reason}": ${status}`)
      )
    )
})

Example.run("Following a refund", program)
