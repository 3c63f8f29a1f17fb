/** The engine on PostgreSQL, in real time. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Workflow from "@effect/workflow/Workflow"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Operator from "@manilla/workflow-engine/Operator"
import { layerPostgres } from "@manilla/workflow-engine/postgres"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type { DurationInput } from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as postgresClient from "../../workflow-engine/src/internal/sql/postgresClient.js"
import * as Proxy from "./utils/proxy.js"
import * as world from "../test/utils/world.js"

class Server extends Context.Tag("test/Server")<Server, Postgres.Server>() {}

const policy = {
  look: { initial: "100 millis", factor: 1, cap: "100 millis", deadline: "300 millis" },
  wait: { initial: "500 millis", factor: 1.2, deadline: "1 hour" }
} as const

const workflows = Layer.mergeAll(CollectPayment.layer, DisbursePayout.layer, IssueCard.layer).pipe(
  Layer.provide(Policy.layer(policy))
)

/** A runner of all workflows on a database. */
const runner = (url: Redacted.Redacted, runnerExpiration: DurationInput = "3 seconds") =>
  Layer.fresh(Layer.provideMerge(workflows, layerPostgres({ url, runnerExpiration })))

/** The engine logs every failure of its database. */
const server: Layer.Layer<Server> = Layer.scoped(Server, Postgres.server).pipe(
  Layer.orDie,
  Layer.merge(Logger.minimumLogLevel(LogLevel.None))
)

const payouts = Operator.of(DisbursePayout.workflow)

const operation = "Payouts.create"

const Nap = Workflow.make({
  name: "Test/Nap/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

const services = world.services({ settleAfter: "1 second" })

layer(server, {
  timeout: "60 seconds",
  excludeTestServices: true
})("on PostgreSQL", (it) => {
  it.scoped("a payment, a payout and a card run on two runners that start together", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const [one, two] = yield* Effect.all([Layer.build(runner(url)), Layer.build(runner(url))], {
        concurrency: 2
      })
      const payout = yield* world.payout
      const card = yield* world.card
      yield* Effect.gen(function* () {
        yield* (yield* Operator.of(CollectPayment.workflow)).start({
          key: world.key("order-1"),
          ...world.payment
        })
        yield* (yield* payouts).start({ key: world.key("salary-1"), ...payout })
        yield* (yield* Operator.of(IssueCard.workflow)).start({ key: world.key("card-1"), ...card })
      }).pipe(Effect.provide(one))

      // Each runner knows the executions of both.
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        const end = yield* operator.await("salary-1")
        assert.strictEqual(end.status, "COMPLETED")
        const { status } = yield* (yield* Operator.of(CollectPayment.workflow)).await("order-1")
        assert.strictEqual(status, "COMPLETED")
        yield* (yield* Operator.of(IssueCard.workflow)).await("card-1")
        const again = yield* operator.start({ key: world.key("salary-1"), ...payout })
        assert.strictEqual((yield* operator.status("salary-1")).executionId, again)
        const error = yield* Effect.flip(
          operator.start({ key: world.key("salary-1"), ...payout, amount: "1001" })
        )
        assert.strictEqual(error._tag, "PayloadMismatch")
        const unknown = yield* Effect.flip(operator.status("salary-2"))
        assert.strictEqual(unknown._tag, "ExecutionNotFound")
      }).pipe(Effect.provide(two))

      const sandbox = yield* Sandbox.Sandbox
      assert.lengthOf(yield* sandbox.payouts, 1)
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
      assert.lengthOf(yield* sandbox.cards, 1)
    }).pipe(Effect.provide(services))
  )

  it.scoped.each([1, -1])(
    "a pause ends on time although the clock of its runner is %i hour ahead",
    (hours) =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const key = `nap-${hours}`
        const live = Layer.provideMerge(
          Nap.toLayer(() => Effect.orDie(Durable.sleep("nap", "5 seconds"))),
          layerPostgres({ url })
        )
        const nap = Effect.flatMap(Operator.of(Nap), (operator) =>
          Effect.gen(function* () {
            yield* operator.start({ key })
            yield* Effect.repeat(Effect.delay(operator.status(key), "20 millis"), {
              until: ({ state }) => state !== "Running"
            })
            return operator
          })
        )
        const [beginning] = yield* Effect.timed(Effect.provide(nap, Layer.fresh(live)))
        const clock = yield* Clock.clockWith(Effect.succeed)
        const wrong: Clock.Clock = {
          ...clock,
          [Clock.ClockTypeId]: Clock.ClockTypeId,
          sleep: (duration) => clock.sleep(duration),
          unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
          unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + hours * 3_600_000,
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + hours * 3_600_000),
          currentTimeNanos: clock.currentTimeNanos
        }
        const [waiting] = yield* Effect.gen(function* () {
          const operator = yield* Operator.of(Nap)
          yield* operator.await(key)
        }).pipe(Effect.provide(Layer.fresh(live)), Effect.withClock(wrong), Effect.timed)
        assert.isAtLeast(Duration.toMillis(Duration.sum(beginning, waiting)), 5_000)
        assert.isAtMost(Duration.toMillis(waiting), 60_000)
      })
  )

  it.scoped("an execution is interrupted before its request leaves", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const { faults, payouts: made } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.status(429, { operation: "Payouts.create", count: "always" }))
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* operator.start({ key: world.key("salary-interrupted"), ...(yield* world.payout) })
        yield* world.received("Payouts.create", 1)
        yield* operator.interrupt("salary-interrupted")
        const error = yield* Effect.flip(operator.await("salary-interrupted"))
        assert.strictEqual(error._tag, "ExecutionCancelled")
      }).pipe(Effect.provide(runner(url)))
      assert.lengthOf(yield* made, 0)
    }).pipe(Effect.provide(services))
  )

  it.scoped("a runner that ends in order hands its executions over at once", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const { payouts: made } = yield* Sandbox.Sandbox
      const payout = yield* world.payout
      const keys = Array.from({ length: 6 }, (_, i) => `salary-handed-over-${i}`)
      // Longer than the test may take: nobody is taken for dead.
      const other = yield* Layer.build(runner(url, "5 minutes"))
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* Effect.forEach(keys, (key) => operator.start({ key: world.key(key), ...payout }), {
          discard: true
        })
        yield* world.received("Payouts.create", keys.length)
      }).pipe(Effect.provide(runner(url, "5 minutes")))
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        const ends = yield* Effect.forEach(keys, operator.await, { concurrency: "unbounded" })
        assert.isTrue(ends.every(({ status }) => status === "COMPLETED"))
      }).pipe(Effect.provide(other))
      assert.lengthOf(yield* made, keys.length)
    }).pipe(Effect.provide(services))
  )

  it.scoped("a restart and a crash of the database fail no execution", () =>
    Effect.gen(function* () {
      const { restart, url } = yield* Server
      const { faults, payouts: made } = yield* Sandbox.Sandbox
      const payout = yield* world.payout
      const keys = Array.from({ length: 12 }, (_, i) => `salary-restart-${i}`)
      // Some executions meet the restart in their creation, others in a look or in a pause.
      yield* faults.add(Fault.delay("2 seconds", { operation: "Payouts.create", count: 4 }))
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* Effect.forEach(keys, (key) => operator.start({ key: world.key(key), ...payout }), {
          discard: true
        })
        yield* restart("fast", "1 second")
        yield* world.received("Payouts.create", keys.length)
        yield* restart("crash", "1 second")
        const ends = yield* Effect.forEach(
          keys,
          // `await` fails while the database is away. The execution goes on.
          (key) =>
            Effect.retry(operator.await(key), {
              while: (error) => Effect.as(Effect.sleep("200 millis"), error._tag === "StorageError")
            }),
          { concurrency: "unbounded" }
        )
        assert.isTrue(ends.every(({ status }) => status === "COMPLETED"))
        assert.lengthOf(yield* made, keys.length)
      }).pipe(Effect.provide(runner(url)))
    }).pipe(Effect.provide(services))
  )

  it.scoped.each([
    {
      late: "refusal",
      error: new Errors.UnprocessableError({ operation, status: 422, message: "refused" })
    },
    {
      late: "error",
      error: new Errors.KeyReused({
        operation,
        message: "too late",
        key: world.key("salary-taken"),
        differs: [],
        attempts: 1
      })
    }
  ])(
    "a $late of a runner that has lost the execution to another does not count",
    ({ error, late }) =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const { payouts: made } = yield* Sandbox.Sandbox
        const client = yield* Payouts.Payouts
        const sql = yield* PgClient.make({ url })
        const key = world.key(`salary-taken-${late}`)
        let attempts = 0
        const lateError = Layer.succeed(Payouts.Payouts, {
          ...client,
          create: (request, options) =>
            Effect.gen(function* () {
              if (++attempts > 1) return yield* client.create(request, options)
              // As after a pause of the process: it was taken for dead.
              yield* Effect.orDie(sql`DELETE FROM manilla_runners`)
              yield* Effect.orDie(sql`
              UPDATE manilla_executions SET runner = NULL, due_millis = 0, revision = revision + 1
              WHERE business_key = ${key}`)
              return yield* error
            })
        })
        const engine = layerPostgres({
          url,
          runnerExpiration: "3 seconds"
        })
        yield* Effect.gen(function* () {
          const operator = yield* payouts
          yield* operator.start({ key, ...(yield* world.payout) })
          const { status } = yield* operator.await(key)
          assert.strictEqual(status, "COMPLETED")
        }).pipe(
          Effect.provide(
            DisbursePayout.layer.pipe(
              Layer.provide(Policy.layer(policy)),
              Layer.provideMerge(engine),
              Layer.provide(lateError)
            )
          )
        )
        assert.strictEqual(attempts, 2)
        assert.lengthOf(yield* made, 1)
      }).pipe(Effect.provide(services), Effect.provide(Reactivity.layer))
  )

  it.scoped("a runner is healthy while the database has heard of it", () =>
    Effect.gen(function* () {
      const { restart, url } = yield* Server
      const engine = layerPostgres({
        url,
        runnerExpiration: "3 seconds"
      })
      const { isHealthy } = Context.get(yield* Layer.build(engine), Engine.Engine)
      const until = (expected: boolean) =>
        Effect.repeat(Effect.delay(isHealthy, "100 millis"), { until: (is) => is === expected })
      yield* until(true)
      const outage = yield* Effect.fork(restart("fast", "2 seconds"))
      yield* until(false)
      yield* outage
      yield* until(true)
    })
  )

  it.scoped("a database that is read-only is a typed error", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const readOnly = new URL(Redacted.value(url))
      readOnly.searchParams.set("options", "-c default_transaction_read_only=on")
      const engine = layerPostgres({ url: Redacted.make(readOnly.href) })
      const error = yield* Effect.flip(Layer.build(engine))
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.include(error.message, "read-only")
    })
  )

  it.scoped("a database that falls silent is connected again", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const { payouts: made } = yield* Sandbox.Sandbox
      const through = new URL(Redacted.value(url))
      const proxy = yield* Proxy.make({ host: through.hostname, port: Number(through.port) })
      through.port = `${proxy.port}`
      const engine = layerPostgres({
        url: Redacted.make(through.href),
        runnerExpiration: "3 seconds",
        databaseTimeout: "2 seconds"
      })
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* operator.start({ key: world.key("salary-silence"), ...(yield* world.payout) })
        yield* proxy.silence
        const { status } = yield* Effect.retry(operator.await("salary-silence"), {
          while: ({ _tag }) => _tag === "StorageError"
        })
        assert.strictEqual(status, "COMPLETED")
      }).pipe(
        Effect.provide(
          Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy)), engine)
        )
      )
      assert.lengthOf(yield* made, 1)
    }).pipe(Effect.provide(services))
  )

  /** An empty database on the server. */
  const newDatabase = (name: string) =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const sql = yield* PgClient.make({ url })
      yield* sql`CREATE DATABASE ${sql(name)}`
      const at = new URL(Redacted.value(url))
      at.pathname = `/${name}`
      return Redacted.make(at.href)
    })

  it.scoped("a start that takes too long is a typed error", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase("locked")
      // As another runner does that was stopped while it created its tables.
      const sql = yield* PgClient.make({ url })
      yield* Effect.flatMap(sql.reserve, (connection) =>
        connection.executeRaw("SELECT pg_advisory_lock(4114431)", [])
      )
      const engine = layerPostgres({
        url,
        databaseTimeout: "1 second",
        runnerExpiration: "1 second"
      })
      const error = yield* Effect.flip(Layer.build(engine))
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.match(error.message, /statement timeout|was silent for 1 s|not queryable/)
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.scoped("a database of another schema version is a typed error, and stays as it is", () =>
    Effect.gen(function* () {
      const other = yield* newDatabase("other")
      const others = yield* PgClient.make({ url: other })
      yield* others`CREATE TABLE manilla_schema (id INTEGER, version INTEGER)`
      yield* others`INSERT INTO manilla_schema VALUES (1, 99)`
      const newer = yield* Effect.flip(Layer.build(layerPostgres({ url: other })))
      assert.include(newer.message, "database other: the tables have schema version 99")
      assert.propertyVal(newer, "supported", 6)
      const tables = yield* others`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
      assert.lengthOf(tables, 1)
    }).pipe(Effect.provide(Reactivity.layer))
  )
})

describe("a database", () => {
  it.scopedLive("answers after thousands of statements were interrupted", () =>
    Effect.gen(function* () {
      const { url } = yield* Postgres.server
      const client = postgresClient.layer({ url, databaseTimeout: "30 seconds" }, 2)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const statements = Array.from({ length: 20_000 }, () => sql`SELECT pg_sleep(1)`)
        const fiber = yield* Effect.fork(Effect.all(statements, { concurrency: "unbounded" }))
        // Two of them run, and the others wait for a connection.
        yield* Effect.sleep("500 millis")
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      }).pipe(Effect.provide(client))
    })
  )

  it.scopedLive("lets go of what a connection holds that fell silent in a transaction", () =>
    Effect.gen(function* () {
      const { url } = yield* Postgres.server
      const through = new URL(Redacted.value(url))
      const proxy = yield* Proxy.make({ host: through.hostname, port: Number(through.port) })
      through.port = `${proxy.port}`
      const client = postgresClient.layer(
        {
          url: Redacted.make(through.href),
          databaseTimeout: "1 second"
        },
        2
      )
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE held (n INTEGER)`
        yield* sql`INSERT INTO held VALUES (0)`
        const update = sql`UPDATE held SET n = n + 1 RETURNING n`
        const silent = update.pipe(Effect.zipRight(proxy.silence), Effect.zipRight(update))
        yield* Effect.exit(sql.withTransaction(silent))
        assert.deepStrictEqual(yield* Effect.retry(update, { times: 5 }), [{ n: 1 }])
      }).pipe(Effect.provide(client))
    })
  )

  it.scopedLive("that accepts connections and stays silent is a typed error", () =>
    Effect.gen(function* () {
      const proxy = yield* Proxy.make({ host: "127.0.0.1", port: 1 })
      yield* proxy.pass(false)
      const url = Redacted.make(`postgres://user@127.0.0.1:${proxy.port}/none`)
      const engine = layerPostgres({ url, databaseTimeout: "500 millis" })
      const error = yield* Effect.flip(Layer.build(engine))
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.include(error.message, "timeout")
    })
  )

  it.scopedLive("that does not answer is a typed error", () =>
    Effect.gen(function* () {
      const url = Redacted.make(`postgres://user@localhost:${yield* Postgres.freePort}/none`)
      const error = yield* Effect.flip(Layer.build(layerPostgres({ url })))
      assert.strictEqual(error._tag, "DatabaseUnavailable")
      assert.include(error.message, "ECONNREFUSED")
    })
  )
})
