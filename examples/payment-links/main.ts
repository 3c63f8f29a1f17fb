/**
 * Finds a payment link whose creation lost its response. Then it follows the uses of
 * the link.
 * Takes 7 seconds.
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
  // Unique for each order: otherwise the links of two buyers may look the same.
  metadata: { order: "payment-links-42" }
}

const program = Effect.gen(function* () {
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "PaymentLinks.create" }))
  )
  const links = yield* PaymentLinks.PaymentLinks

  // One minute earlier, because the service's clock may be behind ours.
  const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
  // Links have no idempotency key, so Manilla does not retry. Look for the link in the list.
  const link = yield* links.create(request).pipe(
    Effect.catchTag("UnkeyedOutcomeUnknown", (unknown) =>
      Effect.gen(function* () {
        yield* Timeline.print("unknown", unknown.message)
        // If the list cannot be read, the outcome of the link is still unknown.
        const [found] = yield* Effect.mapError(links.candidates(request, { since }), () => unknown)
        // The list may lag, so the link may exist all the same. A person decides whether to retry.
        if (found === undefined) return yield* unknown
        yield* Timeline.print("found", "the link was created")
        return found
      })
    )
  )
  yield* Timeline.print("link", `${link.checkout_url}, ${link.max_uses} uses`)

  // Three payers use the link while we follow it.
  yield* Effect.fork(
    Example.onSandbox((sandbox) =>
      Effect.repeatN(Effect.delay(sandbox.payLink({ id: link.id }), "900 millis"), 2)
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
