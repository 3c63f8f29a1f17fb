import { IdempotencyKey, type Payments, type Promises } from "@manilla/promises"

/** Collects a payment, but waits for half a minute only. */
export const collectBriefly = (
  { payments }: Promises.Promises,
  order: string,
  request: Payments.CollectRequest
) =>
  payments.collect(request, {
    key: IdempotencyKey.derive("order", order),
    wait: { deadline: "30 seconds", initial: "500 millis", cap: "5 seconds" }
  })
