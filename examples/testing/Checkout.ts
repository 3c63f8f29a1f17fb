/**
 * A part of an application, which its tests run without the payments service.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

const payer = { phone_number: "+2290161234567" }

export const checkout = (order: string) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const { status } = yield* payments.collect(
      { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", order) }
    )
    return status === "COMPLETED" ? "paid" : `not paid: ${status}`
  }).pipe(
    Effect.catchTag("OutcomeUnknown", ({ key }) =>
      Effect.succeed(`repeat later, with the key ${key}`)
    )
  )
