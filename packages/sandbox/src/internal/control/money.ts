/**
 * The ledger, wallets, settlements, refunds and paid links.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as use from "./use.js"

const defaultLimit = 1000

export const money = HttpApiBuilder.group(ControlApi.api, "Money", (handlers) =>
  handlers
    .handle("ledger", ({ urlParams: { limit = defaultLimit } }) =>
      use.sandbox(({ ledger }) =>
        Effect.map(ledger, ({ balances, journal }) => ({
          balances,
          entries: journal.length,
          journal: journal.slice(-limit)
        }))
      )
    )
    .handle("wallets", () => use.sandbox(({ wallets }) => wallets))
    .handle("settlePayment", ({ path: { id }, payload: { status } }) =>
      use.sandbox(({ paymentIntents, settle }) =>
        settled(
          settle(id, status),
          Effect.map(paymentIntents, (all) => all.find((one) => one.id === id.toLowerCase())),
          "path.id",
          "a payment intent"
        )
      )
    )
    .handle("settlePayout", ({ path: { reference }, payload: { status } }) =>
      use.sandbox(({ payouts, settlePayout }) =>
        settled(
          settlePayout(reference, status),
          Effect.map(payouts, (all) => all.find((one) => one.reference === reference)),
          "path.reference",
          "a payout"
        )
      )
    )
    .handle("refund", ({ payload: { transaction, ...options } }) =>
      use.sandbox(({ refund }) => Effect.mapError(refund(transaction, options), use.refused))
    )
    .handle("payLink", ({ path, payload }) =>
      use.sandbox(({ payLink }) =>
        Effect.mapError(payLink(path.id, payload.phone_number), (refusal) =>
          refusal.code === "NOT_FOUND"
            ? use.notFound("path.id", "must be the id of a payment link")
            : use.refused(refusal)
        )
      )
    )
)

/** The resource after its settlement. */
const settled = <A>(
  settle: Effect.Effect<boolean>,
  find: Effect.Effect<A | undefined>,
  field: string,
  kind: string
): Effect.Effect<A, ControlApi.ControlError> =>
  Effect.gen(function* () {
    const wasPending = yield* settle
    const found = yield* find
    if (found === undefined) return yield* use.notFound(field, `must name ${kind} that exists`)
    if (wasPending) return found
    return yield* use.invalid("NOT_PENDING", "The resource is not PENDING.", [
      { field, rule: `must name ${kind} that is PENDING` }
    ])
  })
