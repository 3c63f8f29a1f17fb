// A program for each runtime: writes over `fetch` whose connection, used before, closes before the response. It
// prints a line for each write, with its error.
import { FetchHttpClient } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { IdempotencyKey } from "@manilla/core"
import * as FetchClient from "@manilla/core/FetchClient"
import { PaymentLinks } from "@manilla/payment-links"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { Console, Effect, Layer } from "effect"

const ways = ["close", "reset", "half a status line"] as const

const once = { retry: { attempts: 1 } } as const

const writes = Effect.gen(function* () {
  const links = yield* PaymentLinks.PaymentLinks
  const payments = yield* Payments.Payments
  // The connections of two reads at once are there to be used again.
  const warm = Effect.all([links.list(), links.list()], { concurrency: 2 })
  for (const description of ways) {
    const money = { country: "BJ", amount: "1500", currency: "XOF", description }
    yield* warm
    const link = yield* Effect.flip(links.create(money, once))
    yield* Console.log(`${description}: ${link._tag}`)
    yield* warm
    const payer = { phone_number: "+2290161234567" }
    const payment = yield* Effect.flip(
      payments.create(
        { ...money, operation: "COLLECTION", payment_method: "mtn_momo", payer },
        { key: IdempotencyKey.derive("order", description), ...once }
      )
    )
    yield* Console.log(`${description}: ${payment._tag}`)
  }
})

const live = Layer.merge(PaymentLinks.layer, Payments.layer).pipe(
  Layer.provide(Manilla.layerConfig())
)

const program = Effect.forEach([FetchClient.layer, FetchHttpClient.layer], (client) =>
  Effect.provide(writes, Layer.provide(live, client))
)

program.pipe(Effect.asVoid, NodeRuntime.runMain)
