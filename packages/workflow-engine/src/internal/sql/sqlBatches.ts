import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Batches from "../../Batches.js"
import { failed } from "./failed.js"

const names = { batches: "manilla_batches_1", items: "manilla_batch_items_1" }

export const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const batches = sql(names.batches)
  const items = sql(names.items)
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${batches} (
      key TEXT PRIMARY KEY,
      epoch INTEGER NOT NULL,
      phase TEXT NOT NULL,
      total INTEGER NOT NULL,
      started DOUBLE PRECISION NOT NULL,
      ended DOUBLE PRECISION
    )`
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${items} (
      batch TEXT NOT NULL,
      number INTEGER NOT NULL,
      key TEXT NOT NULL,
      request TEXT NOT NULL,
      state TEXT NOT NULL,
      sent DOUBLE PRECISION,
      reference TEXT,
      result TEXT,
      PRIMARY KEY (batch, number),
      UNIQUE (batch, key)
    ) ${sql.literal(sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" }))}`
})

/**
 * Batches in two tables of an SQLite or PostgreSQL database, which exist. The columns have the names of the members.
 * Times are floating-point numbers, which arrive as numbers from both.
 */
export const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const batches = sql(names.batches)
  const items = sql(names.items)
  const dialect = <A>(postgres: A, sqlite: A): A =>
    sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => postgres })

  /** A list as rows of one column, `value`: both databases read JSON. */
  const rowsOf = (list: ReadonlyArray<unknown>) => {
    const json = JSON.stringify(list)
    return dialect(sql`json_array_elements(${json}::json)`, sql`json_each(${json})`)
  }
  const text = dialect(sql`value #>> '{}'`, sql`value`)

  /** Holds while the batch is in an epoch. On PostgreSQL, the next one cannot begin before the commit. */
  const isIn = (batchKey: string, epoch: number) =>
    sql`(SELECT epoch FROM ${batches} WHERE key = ${batchKey} ${sql.literal(dialect("FOR SHARE", ""))}) = ${epoch}`

  const service: Batches.Service = {
    insert: (batchKey, started) =>
      sql`
        INSERT INTO ${batches} ${sql.insert({ key: batchKey, epoch: 0, phase: "storing", total: 0, started })}
        ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, failed("store a batch")),
    find: (batchKey) =>
      sql<Batches.Stored>`
        SELECT epoch, phase, total, started, ended FROM ${batches} WHERE key = ${batchKey}`.pipe(
        Effect.map(([row]) => Option.fromNullable(row)),
        failed("read a batch")
      ),
    change: (batchKey, change, { epoch, phases }) =>
      sql`
        UPDATE ${batches} SET ${sql.update(change)}
        WHERE ${sql.and([
          sql`key = ${batchKey}`,
          ...(epoch === undefined ? [] : [sql`epoch = ${epoch}`]),
          ...(phases === undefined ? [] : [sql.in("phase", phases)])
        ])}
        RETURNING key`.pipe(
        Effect.map((rows) => rows.length > 0),
        failed("change a batch")
      ),
    add: (batchKey, epoch, added) =>
      sql<Batches.Item>`
        INSERT INTO ${items} (batch, number, key, request, state)
        SELECT ${batchKey}, CAST(value->>'number' AS INTEGER), value->>'key', value->>'request', 'waiting'
        FROM ${rowsOf(added)} WHERE ${isIn(batchKey, epoch)}
        ON CONFLICT DO NOTHING RETURNING number`.pipe(
        Effect.map((rows) => rows.map(({ number }) => number)),
        failed("store the items of a batch")
      ),
    write: (batchKey, epoch, changes) =>
      // SQLite would read the whole batch for each change, if it knew that all have the same one.
      sql`
        WITH change AS MATERIALIZED (
          SELECT ${batchKey} AS batch, CAST(value->>'number' AS INTEGER) AS number,
            value->>'state' AS state, CAST(value->>'sent' AS DOUBLE PRECISION) AS sent,
            value->>'reference' AS reference, value->>'result' AS result
          FROM ${rowsOf(changes)}
        )
        UPDATE ${items} AS item SET
          state = change.state,
          sent = COALESCE(change.sent, item.sent),
          reference = COALESCE(change.reference, item.reference),
          result = COALESCE(change.result, item.result)
        FROM change
        WHERE item.batch = change.batch AND item.number = change.number AND ${isIn(batchKey, epoch)}
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length === changes.length),
        failed("change the items of a batch")
      ),
    read: (batchKey, { after, keys, numbers, states }, limit) =>
      sql<Batches.Item>`
        SELECT number, key, request, state, sent, reference, result FROM ${items}
        WHERE ${sql.and([
          // As pairs alone, which SQLite looks up in its index. With the batch beside them, it reads the whole batch.
          keys === undefined
            ? sql`batch = ${batchKey}`
            : sql`(batch, key) IN (SELECT ${batchKey}, ${text} FROM ${rowsOf(keys)})`,
          ...(after === undefined ? [] : [sql`number > ${after}`]),
          ...(states === undefined ? [] : [sql.in("state", states)]),
          ...(numbers === undefined
            ? []
            : [sql`number IN (SELECT CAST(${text} AS INTEGER) FROM ${rowsOf(numbers)})`])
        ])}
        ORDER BY number LIMIT ${limit}`.pipe(failed("read the items of a batch")),
    count: (batchKey) =>
      sql<{ readonly state: Batches.State; readonly count: number }>`
        SELECT state, COUNT(*) AS count FROM ${items} WHERE batch = ${batchKey} GROUP BY state`.pipe(
        Effect.map((rows) => Object.fromEntries(rows.map(({ count, state }) => [state, count]))),
        failed("count the items of a batch")
      ),
    clear: (batchKey, epoch) =>
      sql`DELETE FROM ${items} WHERE batch = ${batchKey} AND ${isIn(batchKey, epoch)}`.pipe(
        Effect.asVoid,
        failed("delete the items of a batch")
      )
  }
  return service
})
