/**
 * A process that is killed: runs the jobs of the kill test as workflows, on SQLite or as a runner on
 * PostgreSQL. It prints `ready` when its engine runs, the end of each job as `end KEY TEXT`, and `ended` when all
 * have ended.
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cards from "@manilla/cards/Cards"
import * as Gateway from "@manilla/core/Gateway"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Token from "@manilla/token/Token"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as Command from "@manilla/workflows/command"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import type * as Engine from "@manilla/workflows/Engine"
import * as IssueCard from "@manilla/workflows/IssueCard"
import type * as Operator from "@manilla/workflows/Operator"
import * as Postgres from "@manilla/workflows/postgres"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { type Job, jobs, type Settings } from "./jobs.js"

const settings: Settings = JSON.parse(process.env["WORKER"] ?? "{}")

/** Short times, so that a kill meets every step within seconds. */
const policy = {
  carryOn: { initial: "300 millis", factor: 1.5, deadline: "1 hour" },
  look: { initial: "100 millis", factor: 1.5, cap: "300 millis", deadline: "500 millis" },
  wait: { initial: "300 millis", factor: 1.2, deadline: "1 hour" }
} as const

const retry = { base: "20 millis", attempts: 2, attemptTimeout: "2 seconds" } as const

const gateway = Gateway.layer({
  baseUrl: settings.baseUrl,
  retry,
  pageParameter: "page"
}).pipe(
  Layer.provideMerge(
    Token.layer({
      authUrl: settings.authUrl,
      clientId: settings.clientId,
      clientSecret: Redacted.make(settings.clientSecret),
      retry
    })
  ),
  Layer.provide(FetchHttpClient.layer)
)

const { engine } = settings

const layerOfEngine: Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine | Engine.Runner,
  Sqlite.DatabaseUnavailable | Postgres.RunnerUnavailable | Engine.UnsupportedSchema
> =
  engine.kind === "sqlite"
    ? Sqlite.layerSqlite({ file: engine.file })
    : Postgres.layerPostgres({
        url: Redacted.make(engine.url),
        host: "127.0.0.1",
        port: engine.port,
        lockExpiration: `${engine.lockSeconds} seconds`,
        pollInterval: "300 millis"
      })

const workflows = Layer.mergeAll(
  CollectPayment.layer(policy),
  DisbursePayout.layer(policy),
  IssueCard.layer(policy)
).pipe(
  Layer.provide(Layer.mergeAll(Payments.layer, Payouts.layer, Cards.layer)),
  Layer.provide(gateway)
)

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** Starts an execution, or finds the one of an earlier life, and waits for its end. */
const ended = <Request, A, E>(
  operator: Operator.Service<Request, A, E>,
  businessKey: string,
  request: Request
) =>
  Effect.zipRight(operator.start(businessKey, request), operator.await(businessKey)).pipe(
    // The database may be away for a while.
    Effect.retry({
      schedule: Schedule.spaced("200 millis"),
      while: (error) => Predicate.isTagged(error, "StorageError")
    }),
    Effect.exit,
    Effect.map(Exit.match({ onSuccess: () => "success", onFailure: Cause.pretty })),
    Effect.map((text) => ({ businessKey, text }))
  )

const end = (job: Job) =>
  Effect.gen(function* () {
    switch (job.kind) {
      case "payment":
        return yield* ended(yield* CollectPayment.CollectPayment, job.businessKey, job.request)
      case "payout":
        return yield* ended(yield* DisbursePayout.DisbursePayout, job.businessKey, job.request)
      case "card":
        return yield* ended(yield* IssueCard.IssueCard, job.businessKey, job.request)
    }
  })

const program = Effect.gen(function* () {
  yield* print("ready")
  const ends = yield* Effect.forEach(jobs(settings), end, { concurrency: 100 })
  for (const { businessKey, text } of ends) {
    yield* print(`end ${businessKey} ${JSON.stringify(text)}`)
  }
  yield* print("ended")
})

Command.run({
  engine: layerOfEngine,
  workflows: Layer.provide(Layer.scopedDiscard(Effect.forkScoped(program)), workflows),
  health:
    settings.healthPort === undefined ? undefined : { host: "127.0.0.1", port: settings.healthPort }
}).pipe(NodeRuntime.runMain)
