import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as PaymentLinkWatch from "@manilla/workflows/PaymentLinkWatch"
import * as Effect from "effect/Effect"

const firstUse = (link: PaymentLink.PaymentLink) =>
  Effect.gen(function* () {
    const watch = yield* PaymentLinkWatch.PaymentLinkWatch
    yield* watch.start("order-42", { id: link.id, uses: 1 })
    const { status, use_count = 0 } = yield* watch.await("order-42")
    return use_count >= 1 ? "used" : status
  })
