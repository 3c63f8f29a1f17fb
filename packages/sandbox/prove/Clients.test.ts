/**
 * Each call that moves money and has a key, with every fault at every request and a death before and after each:
 * the process that repeats the call finds one effect.
 */
import { it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Clients from "@manilla/service/Clients"
import * as Cards from "@manilla/cards/Cards"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Prove from "@manilla/sandbox/Prove"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import { cardFrom, collection, payoutFrom, walletIn } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const key = IdempotencyKey.derive("crash", "42")
const { operation: _, ...payment } = collection

type Call = Effect.Effect<{ readonly status: string }, unknown, Clients.Clients | Sandbox.Sandbox>

const calls: Readonly<Record<string, Call>> = {
  collect: Effect.flatMap(Payments.Payments, ({ collect }) => collect(payment, { key })),
  disburse: Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* payouts.disburse(payoutFrom(yield* walletIn("XOF")), { key })
  }),
  issue: Effect.gen(function* () {
    const cards = yield* Cards.Cards
    yield* cards.issue(yield* cardFrom(), { key })
    return { status: "COMPLETED" }
  })
}

for (const [name, call] of Object.entries(calls)) {
  it.effect(
    `${name} has one effect`,
    () => {
      let told: Prove.Told = "open"
      return Prove.everyFault({
        process: Clients.layer,
        store: Layer.effectDiscard(
          Effect.sync(() => {
            told = "open"
          })
        ),
        lives: {
          call: Effect.map(call, ({ status }) => {
            told = status === "COMPLETED" ? "paid" : "review"
          })
        },
        script: ["call"],
        told: Effect.sync(() => told)
      })
    },
    300_000
  )
}
