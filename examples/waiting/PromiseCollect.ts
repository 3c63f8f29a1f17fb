import { IdempotencyKey, type Payments, type Promises } from "@manilla/promises"

/** Collects a payment for a person who waits: 15 seconds for the creation, and half a minute for its end. */
export const collectBriefly = (
  { payments }: Promises.Promises,
  order: string,
  request: Payments.CollectRequest
) =>
  payments.collect(request, {
    key: IdempotencyKey.derive("order", order),
    timeout: "15 seconds",
    wait: { deadline: "30 seconds", initial: "500 millis", cap: "5 seconds" }
  })
