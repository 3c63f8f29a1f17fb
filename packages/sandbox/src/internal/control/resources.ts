/**
 * The resources of the service, of all kinds.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as use from "./use.js"

const defaultLimit = 100

export const resources = HttpApiBuilder.group(ControlApi.api, "Resources", (handlers) =>
  handlers.handle("list", ({ urlParams: { limit = defaultLimit } }) => {
    const latest = <A>(all: Effect.Effect<ReadonlyArray<A>>) =>
      Effect.map(all, (rows) => rows.slice(-limit).reverse())
    return use.sandbox((sandbox) =>
      Effect.all({
        payments: latest(sandbox.paymentIntents),
        payouts: latest(sandbox.payouts),
        transactions: latest(sandbox.transactions),
        refunds: latest(sandbox.refunds),
        payment_links: latest(sandbox.paymentLinks),
        cards: latest(sandbox.cards),
        cardholders: latest(sandbox.cardholders)
      })
    )
  })
)
