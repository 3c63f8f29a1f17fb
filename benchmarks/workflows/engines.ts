// `DisbursePayout` on the engines of others, as the page about engines runs it there. DBOS has a file of its own.
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Steps from "@manilla/workflows/Steps"
import * as Restate from "@manilla/workflows/restate"
import * as restateSdk from "@restatedev/restate-sdk"
import * as clients from "@restatedev/restate-sdk-clients"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { OpenWorkflow } from "openworkflow"
import { BackendPostgres } from "openworkflow/postgres"
import { asOnNode22, portOf } from "../../packages/workflows/prove/utils/restateServer.js"
import { payout } from "../messages.js"
import * as payouts from "./payouts.js"
import { each, type Open } from "./programs.js"

const { workflow } = DisbursePayout

const runtimeFor = (port: number) =>
  ManagedRuntime.make(
    DisbursePayout.layer.pipe(Layer.provideMerge(Steps.layer), Layer.provide(payouts.layer(port)))
  )

export const restate: Open = ({ port, url }) =>
  Effect.gen(function* () {
    asOnNode22()
    const { definition, execute } = Restate.make(workflow, runtimeFor(port))
    const ingress = clients.connect({ url })
    const options = { services: [definition], port: portOf(url, 1), logger: () => {} }
    yield* Effect.promise(() => restateSdk.serve(options))
    return { pay: each((key) => execute(ingress, { key, ...payout })) }
  })

export const openworkflow: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const run = Steps.runner(workflow, runtimeFor(port))
    const backend = yield* Effect.promise(() => BackendPostgres.connect(url))
    const engine = new OpenWorkflow({ backend })
    const forEver = { maximumAttempts: 0 }
    const pay = engine.defineWorkflow<Steps.Payload<typeof workflow>, Steps.End<typeof workflow>>(
      { name: workflow.name, retryPolicy: forEver },
      ({ input, step }) =>
        run(input, {
          id: input.key,
          run: (name, f) => step.run({ name, retryPolicy: forEver }, f),
          sleep: (name, millis) => step.sleep(name, `${millis}ms`)
        })
    )
    yield* Effect.promise(() => engine.newWorker({ concurrency: 64 }).start())
    const one = each((key) =>
      Effect.promise(async () => {
        const handle = await pay.run({ key, ...payout }, { idempotencyKey: key })
        return handle.result({ timeoutMs: 300_000 })
      })
    )
    // It looks for a result once a second, so 64 at once would wait most of the time.
    return { pay: (keys) => one(keys, 1_000) }
  })

export const cluster: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const engine = ClusterWorkflowEngine.layer.pipe(
      Layer.provide(
        NodeClusterSocket.layer({
          shardingConfig: {
            runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", portOf(url, 1))),
            shardLockDisableAdvisory: true
          }
        })
      ),
      Layer.provide(PgClient.layer({ url: Redacted.make(url) }))
    )
    const layer = DisbursePayout.layer.pipe(
      Layer.provide(payouts.layer(port)),
      Layer.provideMerge(engine)
    )
    const context = yield* Layer.build(layer)
    return {
      pay: each((key) => Effect.provide(workflow.execute({ key, ...payout }), context))
    }
  })
