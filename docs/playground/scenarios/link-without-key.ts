import { PaymentLinks } from "@manilla/payment-links"
import { Fault, Sandbox } from "@manilla/sandbox"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const { faults } = yield* Sandbox.Sandbox
  // The service makes the link, but its response is lost.
  yield* faults.add(Fault.dropAfter({ operation: "PaymentLinks.create" }))

  const links = yield* PaymentLinks.PaymentLinks
  return yield* links.create({
    amount: "5000",
    currency: "XOF",
    country: "BJ",
    metadata: { order: "42" }
  })
})
