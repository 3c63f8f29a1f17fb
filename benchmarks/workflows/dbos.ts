// DBOS: a workflow of two steps for each payout.
import { DBOS } from "@dbos-inc/dbos-sdk"
import * as Effect from "effect/Effect"
import * as payouts from "./payouts.js"
import { each, type Key, type Open } from "./programs.js"

export const dbos: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const { create, look } = yield* payouts.client(port)
    const pay = DBOS.registerWorkflow(
      async (key: Key) => {
        const { reference } = await DBOS.runStep(() => Effect.runPromise(create(key)), {
          name: "create"
        })
        return DBOS.runStep(() => Effect.runPromise(look(reference)), { name: "look" })
      },
      { name: "pay" }
    )
    yield* Effect.promise(() => {
      DBOS.setConfig({ name: "benchmark", systemDatabaseUrl: url, logLevel: "error" })
      return DBOS.launch()
    })
    return {
      pay: each((key) =>
        Effect.promise(async () => {
          const handle = await DBOS.startWorkflow(pay, { workflowID: key })(key)
          return handle.getResult()
        })
      )
    }
  })
