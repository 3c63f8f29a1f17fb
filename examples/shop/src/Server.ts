/**
 * The shop as one layer: the API, the worker and the store. It needs `Payments` and an HTTP server.
 */
import { HttpApiBuilder } from "@effect/platform"
import { Config, Effect, Layer } from "effect"
import * as Api from "./Api.js"
import * as Orders from "./Orders.js"
import * as Worker from "./Worker.js"

/**
 * The interface of the service lists only the statuses `PENDING` and `COMPLETED`. Ask the service after which
 * others a payment cannot succeed any more, such as `FAILED`. After any status that is not here, a person decides.
 */
const unpaidStatuses = Config.array(Config.nonEmptyString(), "SHOP_UNPAID_STATUSES").pipe(
  Config.withDefault([])
)

/** One file for each service and environment, so that no order of a sandbox is sent to `LIVE`. */
const database = Config.map(
  Config.all([
    Config.literal("SANDBOX", "LIVE")("MANILLA_ENVIRONMENT"),
    Config.url("MANILLA_BASE_URL")
  ]),
  ([environment, { hostname }]) => `orders-${environment}-${hostname}.db`
)

export const layer = Layer.unwrapEffect(
  Effect.map(Config.all([database, unpaidStatuses]), ([file, unpaid]) =>
    HttpApiBuilder.serve().pipe(
      Layer.provide(Api.layer),
      Layer.provide(Worker.layer(new Set(unpaid))),
      Layer.provide(Orders.layer(file))
    )
  )
)
