/**
 * Executions in flight that go on after the tables were brought to the latest layout, in real time. `layouts/5.json` has the
 * rows of a process of layout 5 that was stopped while it ran them.
 */
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe } from "@effect/vitest"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Files from "@manilla/test-support/Files"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Test from "@manilla/test-support/Test"
import * as Operator from "@manilla/workflow-engine/Operator"
import { layerPostgres } from "@manilla/workflow-engine/postgres"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as database from "../../workflow-engine/src/internal/sql/database.js"
import * as migrations from "../../workflow-engine/src/internal/sql/migrations.js"
import * as postgresClient from "../../workflow-engine/src/internal/sql/postgresClient.js"
import * as runners from "../../workflow-engine/src/internal/sql/runners.js"
import * as sqlStore from "../../workflow-engine/src/internal/sql/sqlStore.js"
import { wordsOf } from "../../workflow-engine/src/internal/sql/statements.js"
import * as world from "../test/utils/world.js"

const Order = Workflow.make({
  name: "Shop/Order/1",
  payload: { key: Schema.String, payout: Schema.optional(DisbursePayout.workflow.payloadSchema) },
  success: Schema.String,
  error: DisbursePayout.workflow.errorSchema,
  idempotencyKey: ({ key }) => key
})
const approval = DurableDeferred.make("approval", { success: Schema.String })
const order = Order.toLayer(({ payout }) =>
  Effect.gen(function* () {
    const noted = yield* Durable.step({
      name: "note",
      success: Schema.String,
      error: Schema.Never,
      execute: Effect.succeed("again")
    })
    if (payout === undefined) return `${noted}, ${yield* DurableDeferred.await(approval)}`
    return (yield* DisbursePayout.workflow.execute(payout)).status
  })
)

/** The rows are older the later this test runs. */
const policy = {
  wait: { initial: "1 second", factor: 1.5, deadline: "36500 days" },
  carryOn: { initial: "1 second", factor: 1.5, deadline: "36500 days" }
} as const

const workflows = Layer.mergeAll(DisbursePayout.layer, order, PayoutBatch.layer()).pipe(
  Layer.provide(Policy.layer(policy))
)

type Rows = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** The payouts that the service has made, under the references of the rows. The last request had just arrived. */
const made = {
  "salary-pending": "PYT-FZIDVWWZGSIV",
  "salary-child": "PYT-6VBBN8GDDB4W",
  "PayoutBatch:payroll:E2": "PYT-RYQYA6XUU5NZ",
  "PayoutBatch:payroll:E3": "PYT-5VUVVCFT4NIT",
  "salary-sending": undefined
}
const payouts = [...Object.keys(made), "PayoutBatch:payroll:E1", "salary-doubt"]

const rowsOf = (layout: number) =>
  Effect.gen(function* () {
    const request = yield* world.payout
    const service = yield* Payouts.Payouts
    let json = readFileSync(new URL(`layouts/${layout}.json`, import.meta.url), "utf8")
    json = json.replaceAll(/3e01bc24-[0-9a-f-]{27}/g, request.wallet_id)
    for (const [key, stored] of Object.entries(made)) {
      const { reference } = yield* service.create(request, { key: world.key(key) })
      if (stored !== undefined) json = json.replaceAll(stored, reference)
    }
    const rows: Rows = JSON.parse(json)
    return rows
  })

const store = (rows: Rows, isStored: (row: object) => boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(Object.entries(rows), ([table, all]) =>
      Effect.forEach(
        all.filter(isStored),
        (row) => sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`
      )
    )
  )

/** Some rows are stored before, and the others after, as by a process of that layout that runs beside the new one. */
const isBefore = (row: object) => !JSON.stringify(row).includes("salary-doubt")

const engines = {
  SQLite: Effect.map(Files.database, (file) => ({
    client: database.layer(file),
    engine: Sqlite.layerSqlite({ file })
  })),
  PostgreSQL: Effect.map(Postgres.server, ({ url }) => ({
    client: postgresClient.layer({ url, databaseTimeout: "30 seconds" }, 2),
    engine: layerPostgres({ url })
  }))
}

const makeTables = (layout: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of migrations.layouts[layout]?.(wordsOf(sql)) ?? []) {
      yield* sql.unsafe(statement)
    }
    yield* sql`INSERT INTO manilla_schema VALUES (1, ${layout})`
  })

/** Brings the rows of layout 5 to the latest layout. */
const migrated = Effect.gen(function* () {
  const rows = yield* rowsOf(5)
  yield* makeTables(5)
  yield* store(rows, isBefore)
  yield* migrations.migrate("test")
  yield* store(rows, (row) => !isBefore(row))
})

describe.each(Object.entries(engines))("on %s", (_, server) => {
  Test.over(world.services()).live(
    "the death of a process of layout 5 counts from zero",
    function* () {
      const { client } = yield* server
      yield* Effect.gen(function* () {
        yield* migrated
        const store = yield* sqlStore.make(yield* runners.make("15 seconds"))
        const before = yield* store.owned(99)
        assert.isNotEmpty(before)
        yield* store.runners.reap(yield* store.runners.join)
        for (const id of before) {
          const { clocks, deaths, dueMillis, runner, wakes } = yield* Effect.flatten(store.read(id))
          assert.deepStrictEqual(
            { clocks, deaths, dueMillis, runner, wakes },
            { clocks: {}, deaths: 1, dueMillis: 0, runner: undefined, wakes: 0 }
          )
        }
      }).pipe(Effect.provide(client))
    }
  )

  Test.over(world.services()).live(
    "what runs on tables of layout 5 goes on, beside processes of that version",
    function* () {
      const { client, engine } = yield* server
      yield* Effect.provide(migrated, client)
      const live = Layer.provideMerge(workflows, engine)
      yield* Effect.gen(function* () {
        const orders = yield* Operator.of(Order)
        const executionId = yield* Order.executionId({ key: "order-signal" })
        const token = DurableDeferred.tokenFromExecutionId(approval, {
          workflow: Order,
          executionId
        })
        yield* DurableDeferred.succeed(approval, { token, value: "approved" })
        // A signal was waiting for it.
        yield* orders.start({ key: "order-early" })
        assert.strictEqual(yield* orders.await("order-signal"), "noted, approved")
        assert.strictEqual(yield* orders.await("order-early"), "again, yes")
        assert.strictEqual(yield* orders.await("order-child"), "COMPLETED")

        const operator = yield* Operator.of(DisbursePayout.workflow)
        for (const key of ["salary-pending", "salary-doubt", "salary-sending", "salary-child"]) {
          assert.strictEqual((yield* operator.await(key)).status, "COMPLETED", key)
        }
        const failed = yield* Effect.flip(operator.await("salary-failed"))
        assert.strictEqual(failed._tag, "UnprocessableError")
        const batches = yield* PayoutBatch.PayoutBatch
        assert.strictEqual((yield* batches.await("payroll")).completed, 3)
      }).pipe(Effect.provide(live))

      const sandbox = yield* Sandbox.Sandbox
      const keys = (yield* sandbox.payouts).map(({ idempotency_key }) => idempotency_key)
      assert.sameMembers(keys, payouts)
    }
  )

  Test.live("tables are made once, and older processes do not change them", function* () {
    const { client, engine } = yield* server
    yield* Effect.all(
      Array.from({ length: 4 }, () => Layer.build(Layer.fresh(engine))),
      { concurrency: "unbounded" }
    )
    const sql = Context.get(yield* Layer.build(client), SqlClient.SqlClient)
    for (const stored of [99, 4]) {
      yield* sql`UPDATE manilla_schema SET version = ${stored}`
      const error = yield* Effect.flip(Layer.build(Layer.fresh(engine)))
      assert.strictEqual(error._tag, "UnsupportedSchema")
      assert.deepInclude(error, { stored, supported: 6 })
      assert.include(error.message, `schema version ${stored}, and`)
    }
  })
})
