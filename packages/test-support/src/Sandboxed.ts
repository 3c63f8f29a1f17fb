/**
 * The in-process sandbox with the client of every domain, and a valid request for each write.
 */
import type * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import type * as Payout from "@manilla/payouts/Payout"
import * as Clients from "@manilla/service/Clients"
import type * as ControlApi from "@manilla/sandbox/ControlApi"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Steps } from "./Steps.js"

/** The clients over a gateway that knows the sandbox's page parameter. */
export const overGateway = (gateway: SandboxGateway.Options = {}) =>
  Layer.provideMerge(
    Clients.layer,
    SandboxGateway.layer({ pageParameter: Sandbox.pageParameter, ...gateway })
  )

export const layer = (options: Sandbox.Options = {}, gateway: SandboxGateway.Options = {}) =>
  Layer.provideMerge(overGateway(gateway), SandboxClient.layer(options))

const services = Effect.all({ ...Clients.tags, sandbox: Sandbox.Sandbox })

/** The client of every domain, and the sandbox. */
export type Services = Effect.Effect.Success<typeof services>

/** The services of a test. */
export type Provided = Layer.Layer.Success<ReturnType<typeof layer>>

/** Defines tests, each over a sandbox of its own. */
export const tests =
  (options: Sandbox.Options = {}, gateway: SandboxGateway.Options = {}) =>
  (title: string, test: (services: Services) => Steps<Provided>) =>
    it.effect(title, () =>
      services.pipe(
        Effect.flatMap((all) => Effect.gen(() => test(all))),
        Effect.provide(layer(options, gateway))
      )
    )

export const phone = "+2290161234567"

export const key = IdempotencyKey.make("order-42")

export const collection: PaymentIntent.PaymentIntentRequest = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: phone }
}

export const link: PaymentLink.PaymentLinkRequest = {
  amount: "5000",
  currency: "XOF",
  country: "BJ"
}

export const payoutFrom = (
  wallet: ControlApi.WalletBalances,
  amount = "1000"
): Payout.PayoutRequest => ({
  wallet_id: wallet.id,
  amount,
  currency: wallet.currency,
  country: "BJ",
  payment_method: "mtn_momo",
  destination: phone
})

/** A card of 10 dollars for the first cardholder, paid from the wallet of a currency. */
export const cardFrom = (currency = "XOF") =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const [holder] = yield* sandbox.cardholders
    const wallet = yield* walletIn(currency)
    const request: Cards.IssueRequest = {
      customer_id: holder?.id ?? assert.fail("no cardholder"),
      wallet_id: wallet.id,
      debit_currency: currency,
      initial_balance: "10"
    }
    return request
  })

/** The current wallet of a currency. */
export const walletIn = (currency: string) =>
  Effect.flatMap(Sandbox.Sandbox, ({ wallets }) =>
    Effect.map(wallets, (all) => {
      const found = all.find((wallet) => wallet.currency === currency)
      return found ?? assert.fail(`no wallet in ${currency}`)
    })
  )

/** The balances of a wallet, for comparison. */
export const balancesIn = (currency: string) =>
  Effect.map(walletIn(currency), ({ available, reserved }) => ({ available, reserved }))

/** Completes a collection, by default of 1500 XOF, and returns its transaction. */
export const collected = (name: string, changes: Partial<typeof collection> = {}) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const sandbox = yield* Sandbox.Sandbox
    const key = IdempotencyKey.derive("collected", name)
    const { id, reference } = yield* payments.create({ ...collection, ...changes }, { key })
    const find = Effect.map(sandbox.transactions, (all) =>
      all.find(({ source }) => source === reference)
    )
    // Some sandboxes settle it at once.
    const found = (yield* find) ?? (yield* Effect.zipRight(sandbox.settle({ resource: id }), find))
    return found ?? assert.fail("no transaction")
  })

/** Advances the clock until everything has settled. */
export const settled = TestClock.adjust("2 seconds")

/** The `code` of a refusal. */
export const codeOf = (error: object): unknown => ("code" in error ? error.code : undefined)

/** Converts to plain data, for comparison with literals. */
export const plain = (value: object): Readonly<Record<string, unknown>> => ({ ...value })
