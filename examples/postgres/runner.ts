import { NodeRuntime } from "@effect/platform-node"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payouts } from "@manilla/payouts"
import { Manilla } from "@manilla/token"
import { DisbursePayout } from "@manilla/workflows"
import * as Command from "@manilla/workflows/command"
import { Config, Effect, Layer } from "effect"
import { engine } from "./engine.js"

const workflows = DisbursePayout.layer.pipe(
  Layer.provide(Payouts.layer),
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

const program = Effect.flatMap(Config.integer("HEALTH_PORT"), (port) =>
  Command.run({ engine, workflows, health: { port } })
)

NodeRuntime.runMain(program)
