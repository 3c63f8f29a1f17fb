import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Batches from "../../Batches.js"
import * as statements from "./statements.js"
import { failed, given } from "./statements.js"

const itemColumns = {
  batch: "TEXT NOT NULL",
  number: "INTEGER NOT NULL",
  key: "TEXT NOT NULL",
  request: "TEXT NOT NULL",
  state: "TEXT NOT NULL",
  sent: "DOUBLE PRECISION",
  reference: "TEXT",
  result: "TEXT"
}

/**
 * Batches in two tables of an SQLite or PostgreSQL database, which exist. The columns have the names of the members.
 * Times are floating-point numbers, which arrive as numbers from both.
 */
export const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const dialect = statements.dialect(sql)
  const tableOf = statements.tableOf(sql, itemColumns)
  const listOf = (column: keyof typeof itemColumns, values: ReadonlyArray<unknown>) =>
    tableOf(
      "list",
      values.map((value) => ({ [column]: value }))
    )

  /** A member of the request of an item. */
  const member = (name: string) =>
    sql`request${dialect("::json", "")}->>${sql.literal(`'${name}'`)}`

  /** Holds while the batch is in an epoch. On PostgreSQL, the next one cannot begin before the commit. */
  const isIn = (batchKey: string, epoch: number) =>
    sql`(SELECT epoch FROM manilla_batches_1 WHERE key = ${batchKey} ${dialect("FOR SHARE", "")}) = ${epoch}`

  const service: Batches.Service = {
    insert: (batchKey, started) =>
      sql`
        INSERT INTO manilla_batches_1 ${sql.insert({ key: batchKey, epoch: 0, phase: "storing", total: 0, started })}
        ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, failed("store a batch")),
    find: (batchKey) =>
      sql<Batches.Stored>`
        SELECT epoch, phase, total, started, ended FROM manilla_batches_1 WHERE key = ${batchKey}`.pipe(
        Effect.map(([row]) => Option.fromNullable(row)),
        failed("read a batch")
      ),
    change: (batchKey, change, { epoch, phases }) =>
      sql`
        UPDATE manilla_batches_1 SET ${sql.update(change)}
        WHERE ${sql.and([
          sql`key = ${batchKey}`,
          ...given(epoch, (present) => sql`epoch = ${present}`),
          ...given(phases, (some) => sql.in("phase", some))
        ])}
        RETURNING key`.pipe(
        Effect.map((rows) => rows.length > 0),
        failed("change a batch")
      ),
    add: (batchKey, epoch, added) =>
      sql<Batches.Item>`
        INSERT INTO manilla_batch_items_1 (batch, number, key, request, state)
        SELECT ${batchKey}, number, key, request, 'waiting'
        FROM ${tableOf("added", added)} WHERE ${isIn(batchKey, epoch)}
        ON CONFLICT DO NOTHING RETURNING number`.pipe(
        Effect.map((rows) => rows.map(({ number }) => number)),
        failed("store the items of a batch")
      ),
    write: (batchKey, epoch, changes) =>
      // SQLite would read the whole batch for each change, if it knew that all have the same one.
      sql`
        WITH change AS MATERIALIZED (
          SELECT ${batchKey} AS batch, number, state, sent, reference, result
          FROM ${tableOf("changed", changes)}
        )
        UPDATE manilla_batch_items_1 AS item SET
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
        SELECT number, key, request, state, sent, reference, result FROM manilla_batch_items_1
        WHERE ${sql.and([
          // As pairs alone, which SQLite looks up in its index. With the batch beside them, it reads the whole batch.
          keys === undefined
            ? sql`batch = ${batchKey}`
            : sql`(batch, key) IN (SELECT ${batchKey}, key FROM ${listOf("key", keys)})`,
          ...given(after, (number) => sql`number > ${number}`),
          ...given(states, (some) => sql.in("state", some)),
          ...given(numbers, (some) => sql`number IN (SELECT number FROM ${listOf("number", some)})`)
        ])}
        ORDER BY number LIMIT ${limit}`.pipe(failed("read the items of a batch")),
    count: (batchKey) =>
      sql<{ readonly state: Batches.State; readonly count: number }>`
        SELECT state, COUNT(*) AS count FROM manilla_batch_items_1 WHERE batch = ${batchKey} GROUP BY state`.pipe(
        Effect.map((rows) => Object.fromEntries(rows.map(({ count, state }) => [state, count]))),
        failed("count the items of a batch")
      ),
    alike: (batchKey, [from, to], sentFromMillis) =>
      sql<Batches.Alike>`
        SELECT state, ${member("amount")} AS amount, ${member("currency")} AS currency, COUNT(*) AS items,
          COUNT(CASE WHEN sent >= ${sentFromMillis} AND state <> 'waiting' THEN 1 END) AS recent
        FROM manilla_batch_items_1 WHERE batch = ${batchKey} AND number >= ${from} AND number < ${to}
        GROUP BY 1, 2, 3`.pipe(failed("add up the items of a batch")),
    clear: (batchKey, epoch) =>
      sql`DELETE FROM manilla_batch_items_1 WHERE batch = ${batchKey} AND ${isIn(batchKey, epoch)}`.pipe(
        Effect.asVoid,
        failed("delete the items of a batch")
      )
  }
  return service
})
