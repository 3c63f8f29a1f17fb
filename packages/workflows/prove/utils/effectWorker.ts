/** A process that is killed: runs the jobs of the kill test on `ClusterWorkflowEngine`, Effect's engine on PostgreSQL. */
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { portOf } from "./restateServer.js"
import * as parts from "./stepsParts.js"
import * as workerParts from "./workerParts.js"

const { runner, url } = parts.settings.engine

const engine = ClusterWorkflowEngine.layer.pipe(
  Layer.provide(
    NodeClusterSocket.layer({
      shardingConfig: {
        runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", portOf(url, runner))),
        shardsPerGroup: 20,
        shardLockDisableAdvisory: true,
        shardLockExpiration: "6 seconds",
        shardLockRefreshInterval: "2 seconds",
        refreshAssignmentsInterval: "2 seconds",
        entityMessagePollInterval: "500 millis",
        entityReplyPollInterval: "200 millis"
      }
    })
  ),
  Layer.provide(PgClient.layer({ url: Redacted.make(url) }))
)

/** These workflows need no services for their schemas. */
type Executed = Effect.Effect<unknown, unknown, WorkflowEngine.WorkflowEngine>

const execute = parts.executor<WorkflowEngine.WorkflowEngine>((workflow) => (payload): Executed => {
  const executed: Effect.Effect<unknown, unknown, unknown> = Effect.gen(function* () {
    const decoded = workflow.payloadSchema.make(payload)
    const id = yield* workflow.execute(decoded, { discard: true })
    // `execute` without `discard` looks at a suspended execution up to 30 seconds late.
    for (;;) {
      const result = yield* workflow.poll(id)
      if (result?._tag === "Complete") return yield* result.exit
      yield* Effect.sleep("200 millis")
    }
  })
  return executed as Executed
})

workerParts
  .ends(parts.settings, execute)
  .pipe(
    Effect.zipRight(Effect.never),
    Effect.provide(Layer.provideMerge(parts.workflows, engine)),
    NodeRuntime.runMain
  )
