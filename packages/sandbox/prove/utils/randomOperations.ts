/**
 * Random operations on the rules of the sandbox, without HTTP. After each of them, the debits of the ledger
 * must equal its credits in every currency, exactly.
 */
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { strict as assert } from "node:assert"
import * as emulation from "../../src/internal/emulation.js"
import type { HandlerContext } from "../../src/internal/service/core.js"

const zero = BigDecimal.make(0n, 0)

/** The currencies in which the accounts do not sum to zero. */
const unbalanced = ({ state }: emulation.Emulation): ReadonlyArray<string> => {
  const sums = new Map<string, BigDecimal.BigDecimal>()
  for (const { account, credit, debit } of state.ledger_accounts.all()) {
    const sum = BigDecimal.sum(
      sums.get(account.currency) ?? zero,
      BigDecimal.subtract(debit, credit)
    )
    sums.set(account.currency, sum)
  }
  return Array.from(sums).flatMap(([currency, sum]) => (BigDecimal.isZero(sum) ? [] : [currency]))
}

export const run = ({ operations, seed }: { readonly operations: number; readonly seed: number }) =>
  Effect.gen(function* () {
    const current = (yield* emulation.make({ seed, origin: () => "" })).current()
    const { cardholders, handlers, payouts, paymentLinks, payments, refunds, wallets } = current
    const random = Random.make(seed)
    const below = (limit: number) => random.nextIntBetween(0, limit)
    const amount = Effect.map(
      Effect.all([below(100_000), below(10_000)]),
      ([whole, decimals]) => `${whole + 1}.${String(decimals).padStart(4, "0")}`
    )
    const oneOf = <A>(all: ReadonlyArray<A>) =>
      Effect.map(below(Math.max(1, all.length)), (index) => all[index])
    const settlements = ["COMPLETED", "FAILED", "REVERSED"] as const
    const made = {
      payments: new Array<Parameters<typeof payments.settle>[0]>(),
      payouts: new Array<Parameters<typeof payouts.settle>[0]>(),
      links: new Array<Parameters<typeof paymentLinks.pay>[0]>(),
      collected: new Array<Parameters<typeof refunds.create>[0]["transaction"]>()
    }
    const counts = new Map<string, number>()
    const wallet = wallets.all()[0] ?? assert.fail("no wallet")
    const holder = cardholders.all()[0] ?? assert.fail("no cardholder")
    const parts = { path: undefined, urlParams: undefined, headers: undefined }
    const common = { country: "BJ", currency: "XOF", payment_method: "mtn_momo" } as const

    const rule = <A, E>(decide: (context: HandlerContext) => Either.Either<A, E>) =>
      Effect.flatten(
        current.look((nowMillis) =>
          decide({
            nowMillis,
            behaviour: undefined,
            search: {},
            onReplay: () => {},
            warn: () => {}
          })
        )
      )

    type Make = (
      text: string,
      key: IdempotencyKey.IdempotencyKey
    ) => Effect.Effect<unknown, unknown>
    /** The compiler names a missing write. */
    const writes: Readonly<Record<ServiceApi.WriteName, Make>> = {
      "Payments.create": (text, key) =>
        rule((context) =>
          handlers["Payments.create"](
            {
              ...parts,
              headers: { "idempotency-key": key },
              payload: {
                ...common,
                amount: text,
                operation: "COLLECTION",
                payer: { phone_number: "+229" }
              }
            },
            context
          )
        ).pipe(Effect.map(({ id }) => made.payments.push(id))),
      "Payouts.create": (text, key) =>
        rule((context) =>
          handlers["Payouts.create"](
            {
              ...parts,
              headers: { "idempotency-key": key },
              payload: { ...common, wallet_id: wallet.id, amount: text, destination: "+229" }
            },
            context
          )
        ).pipe(Effect.map(({ reference }) => made.payouts.push(reference))),
      "PaymentLinks.create": (text) =>
        rule((context) =>
          handlers["PaymentLinks.create"](
            { ...parts, payload: { ...common, amount: text } },
            context
          )
        ).pipe(Effect.map(({ id }) => made.links.push(id))),
      "Cards.issue": (text, key) =>
        rule((context) =>
          handlers["Cards.issue"](
            {
              ...parts,
              payload: {
                customer_id: holder.id,
                wallet_id: wallet.id,
                debit_currency: "XOF",
                initial_balance: text.slice(-3),
                idempotency_key: IdempotencyKey.InBody.make(key)
              }
            },
            context
          )
        )
    }

    const controls: Readonly<Record<string, Make>> = {
      "settled payment": () =>
        Effect.gen(function* () {
          const id = yield* oneOf(made.payments)
          const status = (yield* oneOf(settlements)) ?? "COMPLETED"
          if (id !== undefined) yield* current.look((now) => payments.settle(id, status, now))
        }),
      "settled payout": () =>
        Effect.gen(function* () {
          const reference = yield* oneOf(made.payouts)
          const status = (yield* oneOf(settlements)) ?? "COMPLETED"
          if (reference !== undefined) {
            yield* current.look((now) => payouts.settle(reference, status, now))
          }
        }),
      "paid link": () =>
        Effect.gen(function* () {
          const id = yield* oneOf(made.links)
          if (id === undefined) return
          const { reference } = yield* rule(({ nowMillis }) => paymentLinks.pay(id, "", nowMillis))
          made.collected.push(reference)
        }),
      refund: (text) =>
        Effect.gen(function* () {
          const reference = yield* oneOf(made.collected)
          if (reference === undefined) return
          yield* rule(({ nowMillis }) =>
            refunds.create({ transaction: reference, amount: text }, nowMillis)
          )
        }),
      second: () => Effect.sync(() => current.state.clock.set(current.state.clock.current() + 100))
    }
    const steps = Object.entries({ ...writes, ...controls })

    for (let index = 0; index < operations; index++) {
      const [name, step] = steps[yield* below(steps.length)] ?? assert.fail()
      const key = IdempotencyKey.make(`key-${index}`)
      const result = yield* Effect.either(step(yield* amount, key))
      const counted = Either.isRight(result) ? name : `refused ${name}`
      counts.set(counted, (counts.get(counted) ?? 0) + 1)
      const wrong = unbalanced(current)
      assert.deepEqual(wrong, [], `unbalanced after operation ${index}, ${name}`)
    }
    return { counts: Object.fromEntries(counts), entries: current.state.journal.size }
  })
