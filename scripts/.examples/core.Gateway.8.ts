import * as Gateway from "@manilla/core/Gateway"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Token from "@manilla/token/Token"
import * as Layer from "effect/Layer"

const live = Gateway.layerConfig().pipe(
  Layer.provide(Token.layerConfig()),
  Layer.provide(UndiciClient.layer)
)
