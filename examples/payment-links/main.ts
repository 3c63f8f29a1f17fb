/**
 * Creates a payment link whose answer is lost, finds it again, and watches it being paid.
 */
import { PaymentLinks } from "@manilla/payment-links"
import { Fault } from "@manilla/sandbox"
import { DateTime, Effect, Stream } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const request = {
  amount: "5000",
  currency: "XOF",
  country: "BJ",
  description: "A ticket for the concert",
  max_uses: 3,
  // Tells this link from one that another buyer's order is given at the same time.
  metadata: { order: "payment-links-42" }
}

const program = Effect.gen(function* () {
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "PaymentLinks.create" }))
  )
  const links = yield* PaymentLinks.PaymentLinks

  // The service's clock may be behind this one.
  const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
  // A link has no key, so it is never sent twice. Was it made? The list can tell.
  const link = yield* links.create(request).pipe(
    Effect.catchTag("OutcomeUnknown", (unknown) =>
      Effect.gen(function* () {
        yield* Timeline.print("unknown", unknown.message)
        // Whatever keeps it from looking is about the list. What became of the link stays unknown.
        const [found] = yield* Effect.mapError(links.candidates(request, { since }), () => unknown)
        // Not found is not "not made": the list may lag. Whether to ask again is for a person to say.
        if (found === undefined) return yield* unknown
        yield* Timeline.print("looked", "it was made")
        return found
      })
    )
  )
  yield* Timeline.print("link", `${link.checkout_url}, ${link.max_uses} uses`)

  // Payers come by while we watch.
  yield* Effect.fork(
    Example.onSandbox((sandbox) =>
      Effect.repeatN(Effect.delay(sandbox.payLink(link.id), "900 millis"), 2)
    )
  )
  yield* links
    .changes(link.id, { cap: "500 millis", initial: "200 millis" })
    .pipe(
      Stream.runForEach(({ max_uses, status, use_count }) =>
        Timeline.print("used", `${use_count} of ${max_uses}: ${status}`)
      )
    )
})

Example.run("A payment link", program)
