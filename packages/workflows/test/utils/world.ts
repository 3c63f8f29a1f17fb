/** A sandbox in process, the clients for it, and requests that it accepts. */
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"

export const services = (options: Sandbox.Options = {}) =>
  Layer.mergeAll(Payments.layer, PaymentLinks.layer, Payouts.layer, Cards.layer).pipe(
    Layer.provideMerge(Layer.orDie(SandboxGateway.layer())),
    Layer.provideMerge(SandboxClient.layer({ seed: 1, ...options }))
  )

export const key = IdempotencyKey.make

export const payment = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
}

export const payout = Effect.gen(function* () {
  const { wallets } = yield* Sandbox.Sandbox
  const wallet_id = (yield* wallets).find(({ currency }) => currency === "XOF")?.id ?? ""
  return {
    wallet_id,
    amount: "1000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
})

export const card = Effect.gen(function* () {
  const { cardholders } = yield* Sandbox.Sandbox
  const customer_id = (yield* cardholders)[0]?.id ?? ""
  const { wallet_id } = yield* payout
  return { customer_id, wallet_id, debit_currency: "XOF", initial_balance: "10" }
})

/** The keys of the requests that an operation received. */
export const keysOf = (operation: Fault.OperationName) =>
  Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
    Effect.map(exchanges, (all) =>
      all.filter((exchange) => exchange.operation === operation).map(({ key }) => key)
    )
  )

/** Waits until an operation has received a number of requests. */
export const received = (operation: Fault.OperationName, count: number) =>
  Effect.flatMap(Sandbox.Sandbox, ({ liveRequests }) =>
    liveRequests.pipe(
      Stream.mapEffect(() => keysOf(operation)),
      Stream.takeUntil((keys) => keys.length >= count),
      Stream.runDrain
    )
  )

/** The first log message that contains a text, and the logger that waits for it. */
export const logged = (part: string) =>
  Effect.map(Deferred.make<string>(), (message) => ({
    message,
    logger: Logger.add(
      Logger.make(({ message: parts }) => {
        const text = String(parts)
        if (text.includes(part)) Deferred.unsafeDone(message, Effect.succeed(text))
      })
    )
  }))

/** Waits until an execution is about to send its request. */
export const sending = (executionId: string) =>
  Effect.flatMap(Engine.Engine, ({ steps }) =>
    Effect.repeat(Effect.delay(steps(executionId), "20 millis"), {
      until: (all) => all.some(({ name }) => name.startsWith("begin/"))
    })
  )
