/** The programs of the page "Which engine" for DBOS, which are killed while they pay, and started again. */
import { DBOSClient } from "@dbos-inc/dbos-sdk"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Fault, Sandbox, SandboxServer } from "@manilla/sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

/** Starts a program that uses a database. */
const starting = (name: string, database: Effect.Effect.Success<typeof Postgres.server>) =>
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials, wallets } = yield* Sandbox.Sandbox
    const { client_id, client_secret } = yield* credentials
    const [wallet] = yield* wallets
    const env = {
      ...process.env,
      DATABASE_URL: Redacted.value(database.url),
      MANILLA_WALLET_ID: wallet?.id,
      MANILLA_BASE_URL: baseUrl,
      MANILLA_AUTH_URL: authUrl,
      MANILLA_CLIENT_ID: client_id,
      MANILLA_CLIENT_SECRET: Redacted.value(client_secret)
    }
    const program = fileURLToPath(new URL(`../${name}`, import.meta.url))
    return Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, ["--import", "tsx", program], {
          env,
          stdio: ["ignore", "pipe", "pipe"]
        })
        child.stderr.pipe(process.stderr, { end: false })
        return child
      }),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
  })

/** Kills a program each time that one of these numbers of payouts exists, and returns the output of its last life. */
const killed = (name: string, counts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const { payouts } = yield* Sandbox.Sandbox
    const start = yield* starting(name, yield* Postgres.server)
    for (const count of counts) {
      const life = yield* start
      yield* Effect.repeat(Effect.delay(payouts, "20 millis"), {
        until: (all) => all.length >= count
      })
      const ended = once(life, "exit")
      life.kill("SIGKILL")
      yield* Effect.promise(() => ended)
    }
    const last = yield* start
    return yield* Effect.promise(() => text(last.stdout))
  })

/** DBOS ends an execution so if one of its steps cannot be stored. */
const endWithError = (url: Redacted.Redacted, id: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`UPDATE dbos.workflow_status SET status = 'ERROR', error = '{}' WHERE workflow_uuid = ${id}`
  }).pipe(Effect.provide(PgClient.layer({ url })))

const server = SandboxServer.layer({ settleAfter: "3 seconds" })

it.scopedLive("a payout on DBOS survives kill -9", () =>
  Effect.gen(function* () {
    assert.include(yield* killed("OnDbos.ts", [1]), "COMPLETED")
    const { payouts } = yield* Sandbox.Sandbox
    assert.lengthOf(yield* payouts, 1)
  }).pipe(Effect.provide(server))
)

it.scopedLive("a payout in a workflow of one's own on DBOS survives kill -9", () =>
  Effect.gen(function* () {
    const { exchanges, faults, payouts } = yield* Sandbox.Sandbox
    // It is killed between the request and its response.
    yield* faults.add(Fault.delay("5 seconds", { operation: "Payouts.create" }))
    const output = yield* killed("InDbosWorkflow.ts", [1])
    assert.include(output, "E007 is told: COMPLETED")
    const [payout, ...others] = yield* payouts
    assert.strictEqual(payout?.idempotency_key, "payroll:2026-11:E007")
    assert.lengthOf(others, 0)
    const sent = (yield* exchanges).filter(({ operation }) => operation === "Payouts.create")
    assert.isAbove(sent.length, 1)
  }).pipe(Effect.provide(server))
)

it.scopedLive("a batch on DBOS pays each item once, though its process is killed three times", () =>
  Effect.gen(function* () {
    const { exchanges, faults, payouts } = yield* Sandbox.Sandbox
    const operation = "Payouts.create"
    yield* faults.add(Fault.dropAfter({ operation, probability: 0.5, count: "always" }))
    yield* faults.add(Fault.delay("300 millis", { operation, count: "always" }))
    assert.include(yield* killed("BatchOnDbos.ts", [5, 20, 40]), "50 of 50 paid")
    const keys = Array.from(yield* payouts, (payout) => payout.idempotency_key)
    assert.lengthOf(keys, 50)
    assert.strictEqual(new Set(keys).size, 50)
    // The kills and the lost answers met requests: some were sent again.
    const sent = (yield* exchanges).filter((exchange) => exchange.operation === operation)
    assert.isAbove(sent.length, 50)
  }).pipe(Effect.provide(server))
)

it.scopedLive(
  "a batch on DBOS names the executions that were stopped there, and goes on with them",
  () =>
    Effect.gen(function* () {
      const { faults, payouts } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: "always" }))
      const database = yield* Postgres.server
      const systemDatabaseUrl = Redacted.value(database.url)
      const start = yield* starting("BatchOnDbos.ts", database)
      const life = yield* start
      const output = Promise.all([text(life.stdout), text(life.stderr)])
      const client = yield* Effect.acquireRelease(
        Effect.promise(() => DBOSClient.create({ systemDatabaseUrl })),
        (client) => Effect.promise(() => client.destroy())
      )
      const open = Effect.promise(() =>
        client
          .listWorkflows({ workflowName: "Manilla/DisbursePayout/2" })
          .catch((): ReadonlyArray<{ readonly workflowID: string }> => [])
      )
      const handedOver = yield* Effect.repeat(Effect.delay(open, "500 millis"), {
        until: (all) => all.length === 50
      })
      const ids = ["payroll:2026-11", ...handedOver.map(({ workflowID }) => workflowID)]
      yield* Effect.promise(() => client.cancelWorkflows(ids))
      const failed = ids.pop() ?? ""
      yield* endWithError(database.url, failed)
      const said = (yield* Effect.promise(() => output)).join("")
      assert.include(said, '. It was cancelled in DBOS. `DBOS.resumeWorkflow("payroll:2026-11")')
      assert.include(said, ": It was cancelled in DBOS. `DBOS.resumeWorkflow(")
      assert.include(said, "BatchStopped")
      assert.include(said, `After \`DBOS.deleteWorkflow("${failed}")\``)
      assert.notStrictEqual(life.exitCode, 0)

      yield* faults.clear
      yield* Effect.promise(() => client.resumeWorkflows(ids))
      yield* Effect.promise(() => client.deleteWorkflow(failed))
      const next = yield* start
      assert.include(yield* Effect.promise(() => text(next.stdout)), "50 of 50 paid")
      const keys = Array.from(yield* payouts, (payout) => payout.idempotency_key)
      assert.lengthOf(keys, 50)
      assert.strictEqual(new Set(keys).size, 50)
    }).pipe(Effect.provide(server)),
  // A batch looks twice a minute whether its payouts were stopped.
  300_000
)
