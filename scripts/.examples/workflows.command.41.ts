import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Command from "@manilla/workflows/command"
import type * as Payouts from "@manilla/payouts/Payouts"
import { layerPostgres } from "@manilla/workflows/postgres"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

const runner = (url: Redacted.Redacted, clients: Layer.Layer<Payouts.Payouts>) =>
  Command.run({
    engine: layerPostgres({ url, host: "10.0.0.7" }),
    workflows: Layer.provide(DisbursePayout.layer(), clients),
    health: { port: 8080 }
  })
// NodeRuntime.runMain(runner(url, clients))
