/**
 * Collects a payment for a person who waits: 15 seconds for the creation, and half a minute for its end.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

export const collectBriefly = (order: string, request: Payments.CollectRequest) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    return yield* payments.collect(request, {
      key: IdempotencyKey.derive("order", order),
      timeout: "15 seconds",
      wait: { deadline: "30 seconds", initial: "500 millis", cap: "5 seconds" }
    })
  })
