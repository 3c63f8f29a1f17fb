/**
 * A runner: a process that shares the executions in a PostgreSQL database with others. It starts every payout
 * of its assignment, as all runners do: a payout that is already known is not started again. It prints each
 * payout that it creates, and each whose final status it sees.
 */
import { NodeRuntime } from "@effect/platform-node"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payouts } from "@manilla/payouts"
import { Manilla } from "@manilla/token"
import { Operator } from "@manilla/workflow-engine"
import * as Engine from "@manilla/workflow-engine/postgres"
import { DisbursePayout } from "@manilla/workflows"
import * as Command from "@manilla/workflows/command"
import { Config, Console, Effect, Layer, Logger, LogLevel } from "effect"
import * as Assignment from "./Assignment.js"

/** The client of the service, with a line for each step that this process takes. */
const payouts = Layer.effect(
  Payouts.Payouts,
  Effect.map(Payouts.Payouts, (client): Payouts.Service => ({
    ...client,
    create: (request, options) =>
      Effect.tap(client.create(request, options), ({ reference }) =>
        Console.log(`created ${reference}`)
      ),
    awaitFinal: (reference, options) =>
      Effect.tap(client.awaitFinal(reference, options), () => Console.log(`ended ${reference}`))
  }))
).pipe(Layer.provide(Payouts.layer))

const engine = Layer.unwrapEffect(
  Effect.map(Config.redacted("DATABASE_URL"), (url) =>
    // So that the example is short. The default is 15 seconds.
    Engine.layerPostgres({ url, runnerExpiration: "5 seconds" })
  )
)

const payroll = Effect.gen(function* () {
  const wallet_id = yield* Config.string("MANILLA_WALLET_ID")
  const operator = yield* Operator.of(DisbursePayout.workflow)
  yield* Console.log("ready")
  yield* Effect.forEach(
    Assignment.keys,
    (key, i) => operator.start({ key, ...Assignment.payout(wallet_id, i) }),
    { discard: true }
  )
})

const workflows = Layer.effectDiscard(payroll).pipe(
  Layer.provide(DisbursePayout.layer),
  Layer.provide(payouts),
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

const program = Effect.flatMap(Config.integer("HEALTH_PORT"), (port) =>
  Command.run({ engine, workflows, health: { host: "127.0.0.1", port } })
)

program.pipe(
  // The engine's own steps are of no interest here.
  Logger.withMinimumLogLevel(LogLevel.Warning),
  NodeRuntime.runMain
)
