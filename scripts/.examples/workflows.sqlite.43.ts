import * as Engine from "@manilla/workflows/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Layer from "effect/Layer"

const workflows = DisbursePayout.layer().pipe(
  Layer.provide(Engine.layerSqlite({ file: "payments.db" }))
)
