import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

const request = {
  amount: "5000",
  currency: "XOF",
  country: "BJ",
  max_uses: 1,
  metadata: { order: "42" }
}

const link = Effect.gen(function* () {
  const links = yield* PaymentLinks.PaymentLinks
  // The service's clock may be behind this one.
  const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
  return yield* links.create(request).pipe(
    Effect.catchTag("OutcomeUnknown", (unknown) =>
      links.candidates(request, { since }).pipe(
        // If the search fails, the outcome is still unknown.
        Effect.mapError(() => unknown),
        Effect.flatMap(([found]) =>
          // An empty result does not prove that no link was created: let a person decide.
          found === undefined ? Effect.fail(unknown) : Effect.succeed(found)
        )
      )
    )
  )
})
