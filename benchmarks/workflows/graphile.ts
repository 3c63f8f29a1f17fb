// graphile-worker: a job for each payout. A job that fails runs again from its start.
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Effect from "effect/Effect"
import { Logger, run } from "graphile-worker"
import * as payouts from "./payouts.js"
import type { Key, Open } from "./programs.js"

export const graphile: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const { pay } = yield* payouts.client(port)
    const runner = yield* Effect.promise(() =>
      run({
        connectionString: url,
        concurrency: 64,
        logger: new Logger(() => () => {}),
        taskList: {
          pay: async (payload) => {
            await Effect.runPromise(pay(IdempotencyKey.make(String(payload))))
          }
        }
      })
    )
    let ended = 0
    runner.events.on("job:complete", () => ended++)
    const add = (key: Key) => Effect.promise(() => runner.addJob("pay", key))
    return {
      pay: (keys, atOnce) =>
        Effect.gen(function* () {
          const all = ended + keys.length
          yield* Effect.forEach(keys, add, { concurrency: atOnce, discard: true })
          while (ended < all) yield* Effect.sleep("5 millis")
          return []
        })
    }
  })
