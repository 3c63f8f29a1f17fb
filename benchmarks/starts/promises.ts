// The installed package is a bundle, which `scripts/promises.ts` makes.
import { IdempotencyKey, Promises } from "@manilla/promises"
import { nextKey, payment } from "../messages.js"
import { payTo } from "./start.js"

await payTo(async ({ address }) => {
  const manilla = await Promises.make({
    baseUrl: address,
    authUrl: address,
    clientId: "bench",
    clientSecret: "bench"
  })
  const paid = await manilla.payments.create(payment, { key: IdempotencyKey.make(nextKey()) })
  if (!paid.ok) throw paid.error
  await manilla.close()
})
