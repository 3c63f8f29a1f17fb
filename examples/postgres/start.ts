import { NodeRuntime } from "@effect/platform-node"
import { IdempotencyKey } from "@manilla/core"
import { Operator } from "@manilla/workflow-engine"
import { DisbursePayout } from "@manilla/workflows"
import { Config, Console, Effect } from "effect"
import { engine } from "./engine.js"

const keyOf = (employee: string) => IdempotencyKey.derive("salary", "2026-11", employee)

const program = Effect.gen(function* () {
  const payouts = yield* Operator.of(DisbursePayout.workflow)
  const wallet_id = yield* Config.string("MANILLA_WALLET_ID")
  const employees = process.argv.slice(2)
  for (const employee of employees) {
    // Stored, and so certain: a runner makes it, whatever happens to this process.
    yield* payouts.start({
      key: keyOf(employee),
      wallet_id,
      amount: "250000",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567"
    })
    yield* Console.log(`${employee}: stored`)
  }
  for (const employee of employees) {
    const { reference, status } = yield* payouts.await(keyOf(employee))
    yield* Console.log(`${employee}: ${reference} is ${status}`)
  }
})

program.pipe(Effect.provide(engine), NodeRuntime.runMain)
