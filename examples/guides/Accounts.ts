import * as Environment from "@manilla/core/Environment"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { Config, Effect, Layer, LayerMap, Schema } from "effect"

/** One gateway for each account, with its own token and retry budget. They share the connections. */
export class PaymentsOf extends LayerMap.Service<PaymentsOf>()("PaymentsOf", {
  lookup: (account: string) =>
    Payments.layer.pipe(
      Layer.provide(
        Manilla.layerConfig({
          gateway: { baseUrl: Config.string("MANILLA_BASE_URL") },
          token: {
            authUrl: Config.string("MANILLA_AUTH_URL"),
            clientId: Config.string(`${account}_CLIENT_ID`),
            clientSecret: Config.redacted(`${account}_CLIENT_SECRET`),
            environment: Schema.Config("MANILLA_ENVIRONMENT", Environment.Input)
          }
        })
      )
    ),
  dependencies: [UndiciClient.layer],
  idleTimeToLive: "10 minutes"
}) {}

/** `payments.collect` with the credentials of an account, such as "COTONOU". */
export const collectFor = (
  account: string,
  ...[request, options]: Parameters<Payments.Service["collect"]>
) =>
  Effect.flatMap(Payments.Payments, (payments) => payments.collect(request, options)).pipe(
    Effect.provide(PaymentsOf.get(account))
  )
