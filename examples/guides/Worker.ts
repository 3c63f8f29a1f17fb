import { Errors, IdempotencyKey } from "@manilla/core"
import * as FetchClient from "@manilla/core/FetchClient"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { ConfigProvider, Effect, Layer } from "effect"

/** The variables and secrets of the worker: `MANILLA_BASE_URL` and so on. */
type Env = Readonly<Record<string, string>>

const live = (env: Env) =>
  Payments.layer.pipe(
    Layer.provide(Manilla.layerConfig()),
    Layer.provide(FetchClient.layer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromJson(env)))
  )

const start = (order: string, phone_number: string) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const { id } = yield* payments.create(
      {
        operation: "COLLECTION",
        country: "BJ",
        amount: "1500",
        currency: "XOF",
        payment_method: "mtn_momo",
        payer: { phone_number }
      },
      { key: IdempotencyKey.derive("order", order), timeout: "10 seconds" }
    )
    return Response.json({ order, payment: id }, { status: 202 })
  }).pipe(
    // The payment may exist: no error status. Repeat the same order later.
    Effect.catchIf(
      (error) => Errors.outcome(error) !== "notApplied",
      () => Effect.succeed(Response.json({ order }, { status: 202 }))
    )
  )

export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    const { order, phone }: { order: string; phone: string } = await request.json()
    return Effect.runPromise(Effect.provide(start(order, phone), live(env)))
  }
}
