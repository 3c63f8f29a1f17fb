/** The table of batches on PostgreSQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, layer } from "@effect/vitest"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as postgresClient from "../src/internal/sql/postgresClient.js"
import * as migrations from "../src/internal/sql/migrations.js"
import * as sqlBatches from "../src/internal/sql/sqlBatches.js"
import * as batches from "../test/utils/batches.js"

class Sql extends Context.Tag("test/Sql")<Sql, SqlClient.SqlClient>() {}

const server = Layer.scoped(
  Sql,
  Effect.gen(function* () {
    const { url } = yield* Postgres.server
    const options = { url, databaseTimeout: "30 seconds" } as const
    return Context.get(yield* Layer.build(postgresClient.layer(options, 4)), SqlClient.SqlClient)
  })
)

/** A table without rows. */
const empty = Effect.gen(function* () {
  const sql = yield* Sql
  const table = yield* Effect.provideService(
    Effect.zipRight(migrations.migrate("test"), sqlBatches.make),
    SqlClient.SqlClient,
    sql
  )
  yield* sql`TRUNCATE manilla_batches_1, manilla_batch_items_1`
  return { sql, table }
})

layer(server, { excludeTestServices: true, timeout: "1 minute" })(
  "the table of batches on PostgreSQL",
  (it) => {
    describe("as every table", () =>
      batches.test(
        Effect.map(empty, ({ table }) => table),
        it.scoped
      ))

    it.effect(
      "lets no old owner write while the next one begins, nor the next one while it writes",
      () =>
        Effect.gen(function* () {
          const { sql, table } = yield* empty
          yield* table.insert("b", 0)
          yield* table.add("b", 0, [{ number: 0, key: "k", request: "{}" }])
          const change = [{ number: 0, state: "sending" }] as const

          const began = yield* Deferred.make<void>()
          const mayCommit = yield* Deferred.make<void>()
          const next = yield* table
            .change("b", { epoch: 1 }, { epoch: 0 })
            .pipe(
              Effect.zipLeft(Deferred.succeed(began, undefined)),
              Effect.zipLeft(Deferred.await(mayCommit)),
              sql.withTransaction,
              Effect.fork
            )
          yield* Deferred.await(began)
          const write = yield* Effect.fork(table.write("b", 0, change))
          yield* Effect.sleep("200 millis")
          yield* Deferred.succeed(mayCommit, undefined)
          assert.isTrue(yield* Fiber.join(next))
          assert.isFalse(yield* Fiber.join(write))

          const wrote = yield* Deferred.make<void>()
          const mayEnd = yield* Deferred.make<void>()
          const writing = yield* table
            .write("b", 1, change)
            .pipe(
              Effect.zipLeft(Deferred.succeed(wrote, undefined)),
              Effect.zipLeft(Deferred.await(mayEnd)),
              sql.withTransaction,
              Effect.fork
            )
          yield* Deferred.await(wrote)
          const successor = yield* Effect.fork(table.change("b", { epoch: 2 }, { epoch: 1 }))
          yield* Effect.sleep("200 millis")
          assert.isNull(successor.unsafePoll())
          yield* Deferred.succeed(mayEnd, undefined)
          assert.isTrue(yield* Fiber.join(writing))
          assert.isTrue(yield* Fiber.join(successor))
          assert.deepStrictEqual(yield* table.count("b"), { sending: 1 })
        })
    )
  }
)
