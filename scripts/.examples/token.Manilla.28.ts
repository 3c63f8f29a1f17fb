import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Payments from "@manilla/payments/Payments"
import * as Manilla from "@manilla/token/Manilla"
import * as Layer from "effect/Layer"

const live = Payments.layer.pipe(
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(UndiciClient.layer)
)
