// DBOS: a workflow of two steps for each payout, written by hand; the same with a stored note before the request, which
// lets a later life know that the request may have left, as `DisbursePayout` does; and `DisbursePayout` itself.
import { DBOS } from "@dbos-inc/dbos-sdk"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Steps from "@manilla/workflows/Steps"
import * as Dbos from "@manilla/workflows/dbos"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { payout } from "../messages.js"
import * as payouts from "./payouts.js"
import { each, type Key, type Open } from "./programs.js"

const launch = (url: string) =>
  Effect.promise(() => {
    DBOS.setConfig({ name: "benchmark", systemDatabaseUrl: url, logLevel: "error" })
    return DBOS.launch()
  })

const byHand =
  (before: () => Promise<unknown>): Open =>
  ({ port, url }) =>
    Effect.gen(function* () {
      const { create, look } = yield* payouts.client(port)
      const pay = DBOS.registerWorkflow(
        async (key: Key) => {
          await before()
          const { reference } = await DBOS.runStep(() => Effect.runPromise(create(key)), {
            name: "create"
          })
          return DBOS.runStep(() => Effect.runPromise(look(reference)), { name: "look" })
        },
        { name: "pay" }
      )
      yield* launch(url)
      return {
        pay: each((key) =>
          Effect.promise(async () => {
            const handle = await DBOS.startWorkflow(pay, { workflowID: key })(key)
            return handle.getResult()
          })
        )
      }
    })

export const dbos = byHand(async () => {})

export const dbosNoted = byHand(() =>
  DBOS.runStep(() => Promise.resolve(Date.now()), { name: "begin" })
)

export const dbosSteps: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const runtime = ManagedRuntime.make(
      DisbursePayout.layer.pipe(Layer.provideMerge(Steps.layer), Layer.provide(payouts.layer(port)))
    )
    const { execute } = Dbos.register(DisbursePayout.workflow, runtime)
    yield* launch(url)
    return { pay: each((key) => execute({ key, ...payout })) }
  })
