/**
 * Collects a payment, but waits for half a minute only.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

export const collectBriefly = (order: string, request: Payments.CollectRequest) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    return yield* payments.collect(request, {
      key: IdempotencyKey.derive("order", order),
      wait: { deadline: "30 seconds", initial: "500 millis", cap: "5 seconds" }
    })
  })
