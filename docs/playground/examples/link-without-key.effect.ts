import { PaymentLinks } from "@manilla/payment-links"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const links = yield* PaymentLinks.PaymentLinks
  const metadata = { order: "42" }
  return yield* links.create({ amount: "5000", currency: "XOF", country: "BJ", metadata })
})
