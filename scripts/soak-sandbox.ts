// `npm run soak:sandbox -- [--operations N] [--requests N] [--kills N] [--seed SEED]`: the ledger of the
// sandbox after each of N random operations, N concurrent requests with one key, and N kills of the command
// with a data file. It fails if money is made, lost or moved twice, or if something answered is lost.
import { NodeRuntime } from "@effect/platform-node"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as kills from "../packages/sandbox/prove/utils/kills.js"
import * as oneKey from "../packages/sandbox/prove/utils/oneKey.js"
import * as randomOperations from "../packages/sandbox/prove/utils/randomOperations.js"

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "1000000" },
    requests: { type: "string", default: "10000" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" }
  }
})

const timed = <A, E>(name: string, self: Effect.Effect<A, E>) =>
  Effect.flatMap(Effect.timed(self), ([duration, result]) =>
    Console.log(
      `${name}: ${JSON.stringify(result)} in ${Math.round(Duration.toMillis(duration))} ms`
    )
  )

NodeRuntime.runMain(
  Effect.gen(function* () {
    const { operations, requests, seed } = values
    yield* timed(
      `${operations} random operations, seed ${seed}`,
      randomOperations.run({ operations: Number(operations), seed: Number(seed) })
    )
    yield* timed(`${requests} concurrent requests, one key`, oneKey.run(Number(requests)))
    yield* timed(
      `${values.kills} kills`,
      Effect.promise(() => kills.run({ kills: Number(values.kills), callers: 16 }))
    )
  })
)
