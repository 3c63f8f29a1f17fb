import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Engine from "@manilla/workflows/postgres"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const engine = Layer.unwrapEffect(
  Effect.map(Config.redacted("DATABASE_URL"), (url) => Engine.layerPostgres({ url, host: "10.0.0.7" }))
)
const workflows = DisbursePayout.layer().pipe(Layer.provide(engine))
