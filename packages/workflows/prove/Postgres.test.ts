/** The engine on PostgreSQL, in real time. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Workflow from "@effect/workflow/Workflow"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, layer } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Operator from "@manilla/workflow-engine/Operator"
import { layerPostgres } from "@manilla/workflow-engine/postgres"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
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

/** A runner of payouts on a database. */
const runner = (
  url: Redacted.Redacted,
  options: Omit<Parameters<typeof layerPostgres>[0], "url"> = {}
) =>
  Layer.provide(DisbursePayout.layer, Policy.layer(policy)).pipe(
    Layer.provideMerge(layerPostgres({ url, runnerExpiration: "3 seconds", ...options })),
    Layer.fresh
  )

/** The address of a database through a proxy. */
const proxied = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const through = new URL(Redacted.value(url))
    const proxy = yield* Proxy.make({ host: through.hostname, port: Number(through.port) })
    through.port = `${proxy.port}`
    return { proxy, url: Redacted.make(through.href) }
  })

/** The engine logs every failure of its database. */
const server: Layer.Layer<Server> = Layer.scoped(Server, Postgres.server).pipe(
  Layer.orDie,
  Layer.merge(Logger.minimumLogLevel(LogLevel.None))
)

const payouts = Operator.of(DisbursePayout.workflow)

const Nap = Workflow.make({
  name: "Test/Nap/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

const services = world.services({ settleAfter: "1 second" })

layer(server, { timeout: "60 seconds", excludeTestServices: true })("on PostgreSQL", (it) => {
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
        const { ahead, clock } = yield* SettableClock.make
        ahead.millis = hours * 3_600_000
        const [waiting] = yield* Effect.gen(function* () {
          const operator = yield* Operator.of(Nap)
          yield* operator.await(key)
        }).pipe(Effect.provide(Layer.fresh(live)), Effect.withClock(clock), Effect.timed)
        assert.isAtLeast(Duration.toMillis(Duration.sum(beginning, waiting)), 5_000)
        assert.isAtMost(Duration.toMillis(waiting), 60_000)
      })
  )

  it.scoped("a runner that ends in order hands its executions over at once", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const { payouts: made } = yield* Sandbox.Sandbox
      const payout = yield* world.payout
      const keys = Array.from({ length: 6 }, (_, i) => `salary-handed-over-${i}`)
      // Longer than the test may take: nobody is taken for dead.
      const other = yield* Layer.build(runner(url, { runnerExpiration: "5 minutes" }))
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* Effect.forEach(keys, (key) => operator.start({ key: world.key(key), ...payout }), {
          discard: true
        })
        yield* world.received("Payouts.create", keys.length)
      }).pipe(Effect.provide(runner(url, { runnerExpiration: "5 minutes" })))
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

  it.scoped("a runner is healthy while the database has heard of it", () =>
    Effect.gen(function* () {
      const { restart, url } = yield* Server
      const engine = layerPostgres({ url, runnerExpiration: "3 seconds" })
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
      const through = yield* proxied(url)
      yield* Effect.gen(function* () {
        const operator = yield* payouts
        yield* operator.start({ key: world.key("salary-silence"), ...(yield* world.payout) })
        yield* through.proxy.silence
        const { status } = yield* Effect.retry(operator.await("salary-silence"), {
          while: ({ _tag }) => _tag === "StorageError"
        })
        assert.strictEqual(status, "COMPLETED")
      }).pipe(Effect.provide(runner(through.url, { databaseTimeout: "2 seconds" })))
      assert.lengthOf(yield* made, 1)
    }).pipe(Effect.provide(services))
  )

  it.scoped("a start that takes too long is a typed error", () =>
    Effect.gen(function* () {
      // An empty database.
      const server = (yield* Server).url
      yield* Effect.flatMap(PgClient.make({ url: server }), (sql) => sql`CREATE DATABASE locked`)
      const url = Redacted.make(new URL("/locked", Redacted.value(server)).href)
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
})

describe("a database", () => {
  Test.live("answers after thousands of statements were interrupted", function* () {
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

  Test.live("lets go of what a connection holds that fell silent in a transaction", function* () {
    const { proxy, url } = yield* proxied((yield* Postgres.server).url)
    const client = postgresClient.layer({ url, databaseTimeout: "1 second" }, 2)
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

  Test.live("that accepts connections and stays silent is a typed error", function* () {
    const proxy = yield* Proxy.make({ host: "127.0.0.1", port: 1 })
    yield* proxy.pass(false)
    const url = Redacted.make(`postgres://user@127.0.0.1:${proxy.port}/none`)
    const engine = layerPostgres({ url, databaseTimeout: "500 millis" })
    const error = yield* Effect.flip(Layer.build(engine))
    assert.strictEqual(error._tag, "DatabaseUnavailable")
    assert.include(error.message, "timeout")
  })

  Test.live("that does not answer is a typed error", function* () {
    const url = Redacted.make(`postgres://user@localhost:${yield* Postgres.freePort}/none`)
    const error = yield* Effect.flip(Layer.build(layerPostgres({ url })))
    assert.strictEqual(error._tag, "DatabaseUnavailable")
    assert.include(error.message, "ECONNREFUSED")
  })
})
