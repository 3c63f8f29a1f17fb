import { PaymentLink, PaymentLinks } from "@manilla/payment-links"
import { Effect, Stream } from "effect"

/** Runs `changed` with the link, after each use and at its end, for up to 10 minutes. */
export const watchLink = (
  stored: string,
  changed: (link: PaymentLink.PaymentLinkDetail) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const links = yield* PaymentLinks.PaymentLinks
    yield* Stream.runForEach(links.changes(PaymentLink.makeId(stored)), changed)
  })
