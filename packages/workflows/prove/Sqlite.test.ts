/** The engine on SQLite, in real time. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Files from "@manilla/test-support/Files"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { linkSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as database from "../../workflow-engine/src/internal/sql/database.js"
import * as runners from "../../workflow-engine/src/internal/sql/runners.js"
import * as world from "../test/utils/world.js"

const layer = (path: string, policy?: Partial<Policy.Policy>) =>
  DisbursePayout.layer.pipe(
    Layer.provide(Policy.layer(policy)),
    Layer.provideMerge(Sqlite.layerSqlite({ file: path }))
  )

/** The rows that the engine stored. */
const rowsIn = (path: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`
      SELECT COUNT(*) AS count FROM manilla_steps`
    return Number(row?.count)
  }).pipe(Effect.provide(database.layer(path)))

const reads = Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
  Effect.map(exchanges, (all) => all.filter(({ operation }) => operation === "Payouts.get").length)
)

/** Pays once under a policy, and counts the rows and the reads. */
const measure = (policy: Partial<Policy.Policy>) =>
  Effect.gen(function* () {
    const path = yield* Files.database
    const request = yield* world.payout
    yield* Effect.gen(function* () {
      const payouts = yield* Operator.of(DisbursePayout.workflow)
      yield* payouts.start({ key: world.key("salary-7"), ...request })
      assert.strictEqual((yield* payouts.await("salary-7")).status, "COMPLETED")
    }).pipe(Effect.provide(layer(path, policy)))
    return { rows: yield* rowsIn(path), reads: yield* reads }
  }).pipe(Effect.scoped, Effect.provide(world.services({ settleAfter: "6 seconds" })))

describe("the stored rows of a wait", () => {
  it.live("do not grow with the reads of a look, and by a constant with each pause", () =>
    Effect.gen(function* () {
      const look = { initial: "100 millis", factor: 1, cap: "100 millis" } as const
      const one = yield* measure({ look: { ...look, deadline: "1 minute" } })
      const many = yield* measure({
        look: { ...look, deadline: "150 millis" },
        wait: { initial: "200 millis", factor: 1.5, deadline: "1 day" }
      })
      // The beginning of a creation, the creation and a look store one row each.
      assert.isAbove(one.reads, 30)
      assert.strictEqual(one.rows, 3)
      // Less than ten pauses fit into six seconds.
      assert.isAbove(many.rows, one.rows)
      assert.isBelow(many.rows, 3 + 10)
    })
  )
})

describe("a database", () => {
  it.live("is shared by engines, under one name", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const request = yield* world.payout
      const { payouts: made } = yield* Sandbox.Sandbox
      const [one, other] = yield* Effect.all([
        Layer.build(Layer.fresh(layer(path))),
        Layer.build(Layer.fresh(layer(path)))
      ])
      const keys = Array.from({ length: 20 }, (_, i) => world.key(`salary-${i}`))
      yield* Effect.forEach(keys, (key, i) =>
        Effect.gen(function* () {
          const payouts = yield* Operator.of(DisbursePayout.workflow)
          yield* payouts.start({ key, ...request })
        }).pipe(Effect.provide(i % 2 === 0 ? one : other))
      )
      const payouts = yield* Effect.provide(Operator.of(DisbursePayout.workflow), one)
      yield* Effect.forEach(keys, payouts.await, { concurrency: "unbounded" })
      assert.lengthOf(yield* made, keys.length)
      linkSync(path, `${path}.hard`)
      const error = yield* Effect.flip(Layer.build(Sqlite.layerSqlite({ file: `${path}.hard` })))
      assert.include(error.message, "it has 2 names (hard links): keep one")
    }).pipe(Effect.scoped, Effect.provide(world.services()))
  )

  it.live("is for its owner only, with the files beside it", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const mask = process.umask(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(mask)))
      yield* Layer.build(Sqlite.layerSqlite({ file: path }))
      for (const beside of ["", "-shm", "-wal"]) {
        assert.strictEqual(statSync(path + beside).mode & 0o777, 0o600, beside)
      }
    }).pipe(Effect.scoped)
  )

  /** An execution that another runner has, which has shown a moment ago that it lives. */
  const owned = (path: string, place: string, pid: number) =>
    Effect.gen(function* () {
      const request = yield* world.payout
      const key = world.key("salary-7")
      // No process runs it.
      yield* Effect.flatMap(Operator.of(DisbursePayout.workflow), ({ start }) =>
        start({ key, ...request })
      ).pipe(Effect.provide(Sqlite.layerSqlite({ file: path })))
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO manilla_runners (id, place, pid, born, beat)
        SELECT 99, ${place}, ${pid}, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)`
      yield* sql`UPDATE manilla_executions SET runner = 99, revision = revision + 1`
      const payouts = Operator.of(DisbursePayout.workflow)
      return yield* Effect.flatMap(payouts, (operator) => operator.await(key)).pipe(
        Effect.provide(layer(path)),
        Effect.timed,
        Effect.map(([duration]) => Duration.toSeconds(duration))
      )
    }).pipe(Effect.provide(Layer.fresh(database.layer(path))))

  it.live("takes over at once what a process had that is gone, and else after a while", () =>
    Effect.gen(function* () {
      const { pid } = spawnSync(process.execPath, ["--version"])
      const isFast = yield* owned(yield* Files.database, runners.place(), pid)
      assert.isBelow(isFast, 10)
      const isSlow = yield* owned(yield* Files.database, "elsewhere", pid)
      assert.isAbove(isSlow, 14)
    }).pipe(Effect.scoped, Effect.provide(world.services()))
  )

  it.live("keeps nothing of a process that has lost an execution to another", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const request = yield* world.payout
      const { faults } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.delay("1 second", { operation: "Payouts.create" }))
      const sql = yield* Effect.map(Layer.build(database.layer(path)), (context) =>
        Context.get(context, SqlClient.SqlClient)
      )
      const stored = Effect.all([
        sql`SELECT * FROM manilla_executions`,
        sql`SELECT * FROM manilla_steps`
      ])
      yield* Effect.gen(function* () {
        const payouts = yield* Operator.of(DisbursePayout.workflow)
        const id = yield* payouts.start({ key: world.key("salary-7"), ...request })
        yield* world.sending(id)
        // As if this process had been stopped for long.
        yield* sql`
          INSERT INTO manilla_runners (id, place, pid, born, beat)
          SELECT 99, 'elsewhere', 1, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)`
        yield* sql`UPDATE manilla_executions SET runner = 99, revision = revision + 1`
        const before = yield* stored
        yield* world.received("Payouts.create", 1)
        yield* Effect.sleep("2 seconds")
        assert.deepStrictEqual(yield* stored, before)
      }).pipe(Effect.provide(layer(path)))
    }).pipe(Effect.scoped, Effect.provide(world.services()))
  )

  it.live("that cannot be opened is a typed error", () =>
    Effect.gen(function* () {
      const path = join(yield* Files.database, "no", "such", "folder.db")
      const error = yield* Effect.flip(Layer.build(Sqlite.layerSqlite({ file: path })))
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.propertyVal(error, "database", path)
      assert.include(error.message, `${path}: the database cannot be used (`)
    }).pipe(Effect.scoped)
  )

  it.live("of another schema version is a typed error, and stays as it is", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const change = (statement: string) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
          Effect.provide(Layer.fresh(database.layer(path)))
        )
      yield* change("CREATE TABLE manilla_schema (id INTEGER, version INTEGER)")
      yield* change("INSERT INTO manilla_schema VALUES (1, 99)")
      const stamped = readFileSync(path)
      const newer = yield* Effect.flip(Layer.build(Sqlite.layerSqlite({ file: path })))
      assert.include(newer.message, `${path}: the tables have schema version 99`)
      assert.propertyVal(newer, "supported", 6)
      assert.isTrue(stamped.equals(readFileSync(path)))
    }).pipe(Effect.scoped)
  )

  it.live("that is locked for a while fails no execution", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const request = yield* world.payout
      const { faults, payouts: made } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.delay("1 second", { operation: "Payouts.create" }))
      const { logger, message } = yield* world.logged("The database of the workflows failed")
      yield* Effect.gen(function* () {
        const payouts = yield* Operator.of(DisbursePayout.workflow)
        const id = yield* payouts.start({ key: world.key("salary-7"), ...request })
        yield* world.sending(id)
        // Another program, such as a backup, writes to the file from before the payout is made until after.
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`BEGIN IMMEDIATE`
          yield* Deferred.await(message)
          yield* sql`COMMIT`
        }).pipe(Effect.provide(database.layer(path)))
        assert.lengthOf(yield* made, 1)
        assert.strictEqual((yield* payouts.await("salary-7")).status, "COMPLETED")
        assert.lengthOf(yield* made, 1)
      }).pipe(Effect.provide(layer(path)), Effect.provide(logger))
    }).pipe(Effect.scoped, Effect.provide(world.services()))
  )

  it.live("that was locked takes changes as soon as it is free", () =>
    Effect.gen(function* () {
      const path = yield* Files.database
      const open = Effect.map(Layer.build(database.layer(path)), (context) =>
        Context.get(context, SqlClient.SqlClient)
      )
      const sql = yield* open
      const other = yield* open
      yield* sql`CREATE TABLE rows (id INTEGER)`
      const insert = sql`INSERT INTO rows VALUES (1)`
      yield* other`BEGIN IMMEDIATE`
      const { cause } = yield* Effect.flip(insert)
      assert.include(String(cause), "SQLITE_BUSY")
      yield* other`COMMIT`
      yield* insert
      assert.lengthOf(yield* sql`SELECT id FROM rows`, 1)
    }).pipe(Effect.scoped)
  )
})

it.live("a paused batch stays paused in the next life, and then goes on", () =>
  Effect.gen(function* () {
    const path = yield* Files.database
    const request = yield* world.payout
    const { faults, payouts: made } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("1 second", { operation: "Payouts.create" }))
    const batch = PayoutBatch.layer({ concurrency: 1 }).pipe(Layer.provide(DisbursePayout.layer))
    const life = <A, E>(use: (batches: PayoutBatch.Service) => Effect.Effect<A, E>) =>
      Effect.flatMap(PayoutBatch.PayoutBatch, use).pipe(
        Effect.provide(batch.pipe(Layer.provide(Sqlite.layerSqlite({ file: path }))))
      )
    yield* life((batches) =>
      Effect.zipRight(
        batches.start(
          "payroll",
          Stream.make("a", "b", "c").pipe(Stream.map((key) => ({ key, request })))
        ),
        batches.pause("payroll")
      )
    )
    yield* life((batches) =>
      Effect.gen(function* () {
        assert.isTrue((yield* batches.status("payroll")).phase === "paused")
        assert.isAtMost((yield* made).length, 1)
        yield* batches.resume("payroll")
        assert.strictEqual((yield* batches.await("payroll")).completed, 3)
        assert.lengthOf(yield* made, 3)
      })
    )
  }).pipe(Effect.scoped, Effect.provide(world.services()))
)
