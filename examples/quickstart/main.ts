/**
 * Collects a payment and waits until it is final.
 */
import { NodeRuntime } from "@effect/platform-node"
import { IdempotencyKey } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { Console, Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const { amount, currency, id, status } = yield* payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", "42") }
  )
  // A final status does not mean paid: check for COMPLETED.
  const result = status === "COMPLETED" ? "paid" : `not paid: ${status}`
  yield* Console.log(`${amount} ${currency} ${result}, payment ${id}`)
})

const live = Payments.layer.pipe(
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

program.pipe(Effect.provide(live), NodeRuntime.runMain)
