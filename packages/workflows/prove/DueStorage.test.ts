/** The messages that the engine reads, beside those of many pauses. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as EntityType from "@effect/cluster/EntityType"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Server from "@manilla/test-support/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as cluster from "../src/internal/sql/cluster.js"
import * as database from "../src/internal/sql/database.js"
import * as dueStorage from "../src/internal/sql/dueStorage.js"
import * as files from "../test/utils/files.js"

const storage = dueStorage.layer.pipe(Layer.provide(cluster.config))

const shard = ShardId.make("default", 1)
const other = ShardId.make("default", 2)

interface Stored {
  readonly entity: string
  readonly shard?: ShardId.ShardId
  readonly dueMillis?: number
  readonly isProcessed?: boolean
}

let lastId = 0

const put = ({ dueMillis, entity, isProcessed = false, shard: own = shard }: Stored) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const id = ++lastId
    const isTrue = (is: boolean) =>
      sql.onDialectOrElse({ sqlite: () => (is ? 1 : 0), orElse: () => is })
    return sql`INSERT INTO cluster_messages ${sql.insert({
      id,
      message_id: `message-${id}`,
      shard_id: own.toString(),
      entity_type: "Workflow/Test",
      entity_id: entity,
      kind: 0,
      tag: "run",
      payload: "{}",
      headers: "{}",
      request_id: id,
      processed: isTrue(isProcessed),
      deliver_at: dueMillis ?? null
    })}`
  })

const addressOf = (entity: string) =>
  EntityAddress.EntityAddress.make({
    entityType: EntityType.EntityType.make("Workflow/Test"),
    entityId: EntityId.make(entity),
    shardId: shard
  })

/** The entities whose messages the engine reads. */
const read = Effect.gen(function* () {
  const { unprocessedMessages } = yield* MessageStorage.MessageStorage
  const messages = yield* unprocessedMessages([shard])
  return messages.map(({ envelope }) => envelope.address.entityId as string)
})

const contract = Effect.gen(function* () {
  const { resetAddress } = yield* MessageStorage.MessageStorage
  const farMillis = Date.now() + 86_400_000
  yield* put({ entity: "late", dueMillis: Date.now() - 1_000 })
  yield* put({ entity: "now" })
  yield* put({ entity: "sleeping", dueMillis: farMillis })
  yield* put({ entity: "done", isProcessed: true })
  yield* put({ entity: "elsewhere", shard: other })
  yield* put({ entity: "next" })
  assert.deepStrictEqual(yield* read, ["late", "now", "next"])
  assert.deepStrictEqual(yield* read, [])
  yield* resetAddress(addressOf("now"))
  assert.deepStrictEqual(yield* read, ["now"])
})

describe("the engine reads each message that is due, once, in the order in which they were stored", () => {
  it.live("on SQLite", () =>
    Effect.flatMap(files.database, (file) =>
      contract.pipe(Effect.provide(Layer.provideMerge(storage, database.layer(file))))
    ).pipe(Effect.scoped)
  )

  it.live("on PostgreSQL, without a visit to what sleeps or has ended", () =>
    Effect.gen(function* () {
      const { url } = yield* Server.server
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      yield* Effect.gen(function* () {
        yield* contract
        // A runner that is stopped may hold a transaction open: another one starts beside it.
        const stopped = yield* PgClient.make({ url, maxConnections: 1 })
        const isOpen = yield* Deferred.make<void>()
        const holding = yield* stopped`UPDATE cluster_messages SET last_read = NOW()`.pipe(
          Effect.zipRight(Deferred.succeed(isOpen, undefined)),
          Effect.zipRight(Effect.never),
          stopped.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(isOpen)
        yield* Effect.scoped(Layer.build(Layer.fresh(storage)))
        yield* Fiber.interrupt(holding)
        const numbers = sql.literal("FROM generate_series(1, 20000) AS n")
        yield* sql`
          INSERT INTO cluster_messages
            (id, message_id, shard_id, entity_type, entity_id, kind, tag, payload, headers, request_id, processed, deliver_at)
          SELECT 100000 + n, 'many-' || n, 'default:1', 'Workflow/Test', 'many-' || (n / 2), 0, 'run', '{}', '{}',
            100000 + n, n % 2 = 0, CASE WHEN n % 2 = 0 THEN NULL ELSE ${Date.now() + 86_400_000}::bigint END ${numbers}`
        yield* sql`
          INSERT INTO cluster_replies (id, kind, request_id, payload, acked)
          SELECT n, 0, 100000 + n, '{}', TRUE ${numbers} WHERE n % 2 = 0`
        yield* sql`ANALYZE`
        const visits = Effect.gen(function* () {
          yield* sql`SELECT pg_stat_force_next_flush()`
          const [row] = yield* sql<{ readonly count: string }>`
            SELECT SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)) AS count
            FROM pg_stat_user_tables WHERE relname IN ('cluster_messages', 'cluster_replies')`
          return Number(row?.count)
        })
        const before = yield* visits
        yield* put({ entity: "busy" })
        assert.deepStrictEqual(yield* read, ["busy"])
        assert.isBelow((yield* visits) - before, 100)
        const { clearAddress, resetAddress } = yield* MessageStorage.MessageStorage
        yield* resetAddress(addressOf("many-7"))
        yield* clearAddress(addressOf("many-7"))
        assert.isBelow((yield* visits) - before, 200)
      }).pipe(Effect.provide(Layer.provideMerge(storage, Layer.succeed(SqlClient.SqlClient, sql))))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
