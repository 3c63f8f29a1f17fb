import { PersistenceError } from "@effect/cluster/ClusterError"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A message that was read, and is not handled after this time, is read again. The engine has the same time. */
const rereadMinutes = 10

/**
 * The engine's messages in a database, read through an index of those that are due.
 *
 * After each message, the engine reads what is due. Its own query also visits the messages of all pauses, one
 * for each sleeping execution. Its purges and its resets visit even more.
 */
export const layer = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* MessageStorage.MessageStorage
    const table = sql("cluster_messages")
    const replies = sql("cluster_replies")

    const dialect = <A>(sqlite: A, pg: A): A =>
      sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => pg })
    const isFalse = sql.literal(dialect("0", "FALSE"))
    const now = sql.literal(dialect("CURRENT_TIMESTAMP", "NOW()"))
    const longAgo = sql.literal(
      dialect(
        `DATETIME('now', '-${rereadMinutes} minutes')`,
        `NOW() - INTERVAL '${rereadMinutes} minutes'`
      )
    )
    // SQLite has no statistics, and takes the index of shards. PostgreSQL expects many rows, and would read both
    // tables whole: it expects few of a subquery in an array, and does not join one with an offset.
    const through = sql.literal(dialect("INDEXED BY manilla_messages_due", ""))
    const [open, close] = dialect(["IN (", ")"], ["= ANY(ARRAY(", "))"]).map((text) =>
      sql.literal(text)
    )

    /**
     * PostgreSQL locks the table against writers before it finds that an index exists, and would wait for the
     * transaction of a runner that is stopped.
     */
    const isMissing = (index: string) =>
      sql.onDialectOrElse({
        sqlite: () => Effect.succeed(true),
        orElse: () =>
          Effect.map(
            sql`SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = ${index}`,
            (rows) => rows.length === 0
          )
      })
    const create = (index: string, on: string) =>
      Effect.whenEffect(
        sql`CREATE INDEX IF NOT EXISTS ${sql(index)} ON ${table} ${sql.literal(on)}`,
        isMissing(index)
      )

    yield* create("manilla_messages_due", `(deliver_at) WHERE processed = ${dialect("0", "FALSE")}`)
    yield* create("manilla_messages_entity", "(entity_type, entity_id)")

    /** Marks the messages that are due as read, and returns them. */
    const take = (shards: ReadonlyArray<string>, nowMillis: number) => {
      const isUnread = sql`(m.last_read IS NULL OR m.last_read < ${longAgo})`
      const selected = (isDue: ReturnType<typeof sql.literal>) => sql`
        SELECT m.id FROM ${table} m ${through}
        WHERE m.processed = ${isFalse} AND ${isDue} AND ${isUnread}
          AND m.shard_id IN (${sql.literal(shards.map((shard) => `'${shard}'`).join(","))})
          AND NOT EXISTS (
            SELECT 1 FROM ${replies} r
            WHERE r.request_id = m.request_id AND (r.kind = 0 OR r.acked = ${isFalse})
            LIMIT 1 OFFSET 0
          )`
      return sql<{ readonly id: bigint | string }>`
        UPDATE ${table} AS m SET last_read = ${now}
        WHERE m.id ${open} ${selected(sql.literal("m.deliver_at IS NULL"))}
          UNION ALL ${selected(sql.literal(`m.deliver_at <= ${nowMillis}`))} ${close}
          AND m.processed = ${isFalse} AND ${isUnread}
        RETURNING id`.pipe(
        Effect.flatMap((rows) =>
          storage.unprocessedMessagesById(rows.map(({ id }) => Snowflake.Snowflake(id)))
        ),
        sql.withTransaction,
        PersistenceError.refail,
        Effect.withTracerEnabled(false)
      )
    }

    const unprocessedMessages: (typeof storage)["unprocessedMessages"] = (shardIds) => {
      const shards = Array.from(shardIds, (id) => id.toString())
      return shards.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => take(shards, nowMillis))
    }
    return { ...storage, unprocessedMessages }
  })
).pipe(Layer.provide(SqlMessageStorage.layer))
