// graphile-worker: a job for each payout. A job that fails runs again from its start.
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Logger, run } from "graphile-worker"
import * as payouts from "./payouts.js"
import { each, type Open } from "./programs.js"

export const graphile: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const { pay } = yield* payouts.client(port)
    const ends = new Map<string, Deferred.Deferred<void>>()
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
    runner.events.on("job:complete", ({ job: { payload } }) => {
      const end = ends.get(String(payload))
      if (end !== undefined) Deferred.unsafeDone(end, Effect.void)
    })
    return {
      pay: each((key) =>
        Effect.gen(function* () {
          const end = yield* Deferred.make<void>()
          ends.set(key, end)
          yield* Effect.promise(() => runner.addJob("pay", key))
          yield* Deferred.await(end)
          ends.delete(key)
        })
      )
    }
  })
