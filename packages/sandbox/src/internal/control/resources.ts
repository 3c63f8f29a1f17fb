/**
 * The resources of the service, of all kinds.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as use from "./use.js"

const defaultLimit = 100

export const resources = HttpApiBuilder.group(ControlApi.api, "Resources", (handlers) =>
  handlers.handle("list", ({ urlParams: { key, limit = defaultLimit } }) => {
    /** Rows without an idempotency key have no `keyOf`. */
    const latest = <A>(all: Effect.Effect<ReadonlyArray<A>>, keyOf?: (row: A) => string) =>
      Effect.map(all, (rows) =>
        (key === undefined ? rows : rows.filter((row) => keyOf?.(row) === key))
          .slice(-limit)
          .reverse()
      )
    return use.sandbox((sandbox) =>
      Effect.all({
        payments: latest(sandbox.paymentIntents, (one) => one.idempotency_key),
        payouts: latest(sandbox.payouts, (one) => one.idempotency_key),
        transactions: latest(sandbox.transactions),
        refunds: latest(sandbox.refunds),
        payment_links: latest(sandbox.paymentLinks),
        cards: latest(sandbox.cards, (one) => one.issuance_reference),
        cardholders: latest(sandbox.cardholders)
      })
    )
  })
)
