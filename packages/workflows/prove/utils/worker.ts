/**
 * A process that is killed: runs the jobs of the kill test as workflows, on SQLite or as a runner on
 * PostgreSQL. It prints `ready` when its engine runs, the end of each job as `end KEY TEXT`, and `ended` when all
 * have ended.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Postgres from "@manilla/workflow-engine/postgres"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Command from "@manilla/workflows/command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Job, OwnEngine, Settings } from "./jobs.js"
import * as workerParts from "./workerParts.js"

const settings: Settings<OwnEngine> = JSON.parse(process.env["WORKER"] ?? "{}")

const { engine } = settings

const layerOfEngine: Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine,
  Engine.DatabaseUnavailable | Engine.UnsupportedSchema
> =
  engine.kind === "sqlite"
    ? Sqlite.layerSqlite({ file: engine.file })
    : Postgres.layerPostgres({
        url: Redacted.make(engine.url),
        runnerExpiration: `${engine.expirationSeconds} seconds`
      })

const workflows = PayoutBatch.layer({ concurrency: 10 }).pipe(
  Layer.provideMerge(DisbursePayout.layer),
  Layer.merge(CollectPayment.layer),
  Layer.merge(IssueCard.layer),
  Layer.provide(Policy.layer(workerParts.policy)),
  Layer.provide(Layer.mergeAll(Payments.layer, Payouts.layer, Cards.layer)),
  Layer.provide(workerParts.gateway(settings, workerParts.shortRetry)),
  Layer.provide(FetchHttpClient.layer)
)

/** Starts an execution, or finds the one of an earlier life, and waits for its end. */
const ended = <Payload extends { readonly key: string }, A, E>(
  operator: Operator.Operator<Payload, A, E>,
  payload: Payload
) => Effect.zipRight(operator.start(payload), operator.await(payload.key))

/** Starts a batch, or finds the one of an earlier life, and waits until each of its items is paid. */
const batchEnded = ({ businessKey, items }: Extract<Job, { readonly kind: "batch" }>) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    yield* batches.start(businessKey, Stream.fromIterable(items))
    const summary = yield* batches.await(businessKey)
    const isPaid = summary.completed === items.length
    return yield* isPaid ? Effect.void : Effect.fail(JSON.stringify(summary))
  })

const endOf = (job: Job) =>
  Effect.gen(function* () {
    if (job.kind === "batch") return yield* batchEnded(job)
    const key = IdempotencyKey.make(job.businessKey)
    switch (job.kind) {
      case "payment":
        return yield* ended(yield* Operator.of(CollectPayment.workflow), { key, ...job.request })
      case "payout":
        return yield* ended(yield* Operator.of(DisbursePayout.workflow), { key, ...job.request })
      case "card":
        return yield* ended(yield* Operator.of(IssueCard.workflow), { key, ...job.request })
    }
  })

const retried = (job: Job) =>
  Effect.retry(endOf(job), {
    // The database may be away for a while.
    schedule: Schedule.spaced("200 millis"),
    while: (error) => Predicate.isTagged(error, "StorageError")
  })

/** An operator. A turn is often longer than a life here, so that ten lives may end in it. */
const resumed = Effect.gen(function* () {
  const engine = yield* Engine.Engine
  const waiting = yield* engine.list({ states: ["Waiting"] }, undefined, 1_000)
  const parked = waiting.filter(({ pause }) => pause === Execution.Pause.parked)
  for (const { businessKey, executionId } of parked) {
    yield* engine.resume(executionId)
    yield* workerParts.print(`parked ${businessKey}`)
  }
}).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("1 second")))

const program = Effect.zipRight(
  Effect.forkScoped(settings.resumes === true ? resumed : Effect.void),
  workerParts.ends(settings, retried)
)

Command.run({
  engine: layerOfEngine,
  workflows: Layer.provide(Layer.scopedDiscard(Effect.forkScoped(program)), workflows),
  health:
    settings.healthPort === undefined ? undefined : { host: "127.0.0.1", port: settings.healthPort }
}).pipe(NodeRuntime.runMain)
