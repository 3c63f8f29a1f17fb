import * as FetchClient from "@manilla/core/FetchClient"
import { PaymentIntent, Payments } from "@manilla/payments"
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

const statusOf = (payment: string) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const { status } = yield* payments.get(PaymentIntent.makeId(payment))
    return Response.json({ status })
  })

export default {
  fetch: (request: Request, env: Env): Promise<Response> => {
    const payment = new URL(request.url).searchParams.get("payment") ?? ""
    return Effect.runPromise(Effect.provide(statusOf(payment), live(env)))
  }
}
