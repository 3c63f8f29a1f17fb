import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Execution from "../../Execution.js"
import type * as Table from "../batch/Table.js"

/** Integers of 64 bits arrive as bigint from SQLite, and as text from PostgreSQL. */
type Integer = bigint | number | string

interface BatchRow {
  readonly epoch: Integer
  readonly total: Integer | null
  readonly paused: Integer
  readonly cancel_requested: Integer
  readonly started_millis: Integer
  readonly ended_millis: Integer | null
  readonly purged: Integer
}

interface ItemRow {
  readonly number: Integer
  readonly key: string
  readonly request: string
  readonly state: Table.State
  readonly sent_millis: Integer | null
  readonly reference: string | null
  readonly result: string | null
}

const numberOf = (value: Integer | null) => (value === null ? undefined : Number(value))

const toBatch = (row: BatchRow): Table.Stored => ({
  epoch: Number(row.epoch),
  total: numberOf(row.total),
  isPaused: Number(row.paused) !== 0,
  isCancelRequested: Number(row.cancel_requested) !== 0,
  startedMillis: Number(row.started_millis),
  endedMillis: numberOf(row.ended_millis),
  isPurged: Number(row.purged) !== 0
})

const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 1 : 0)

const columnsOf = (change: Partial<Table.Stored>) => {
  const columns = {
    epoch: change.epoch,
    total: change.total,
    paused: flag(change.isPaused),
    cancel_requested: flag(change.isCancelRequested),
    ended_millis: change.endedMillis,
    purged: flag(change.isPurged)
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

const toItem = (row: ItemRow): Table.Item => ({
  number: Number(row.number),
  key: row.key,
  request: row.request,
  state: row.state,
  sentMillis: numberOf(row.sent_millis),
  reference: row.reference ?? undefined,
  result: row.result ?? undefined
})

const failed =
  (operation: string) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    Effect.mapError(effect, (cause) => new Execution.StorageError({ operation, cause }))

/** Batches in two tables of an SQLite or PostgreSQL database. */
export const make: Effect.Effect<Table.Service, Execution.StorageError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const batches = sql("manilla_batches_1")
    const items = sql("manilla_batch_items_1")
    const dialect = <A>(postgres: A, sqlite: A): A =>
      sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => postgres })

    yield* sql`
      CREATE TABLE IF NOT EXISTS ${batches} (
        key TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        total INTEGER,
        paused INTEGER NOT NULL,
        cancel_requested INTEGER NOT NULL,
        started_millis BIGINT NOT NULL,
        ended_millis BIGINT,
        purged INTEGER NOT NULL
      )`.pipe(failed("create the table of batches"))
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${items} (
        batch TEXT NOT NULL,
        number INTEGER NOT NULL,
        key TEXT NOT NULL,
        request TEXT NOT NULL,
        state TEXT NOT NULL,
        sent_millis BIGINT,
        reference TEXT,
        result TEXT,
        PRIMARY KEY (batch, number),
        UNIQUE (batch, key)
      ) ${sql.literal(dialect("", "WITHOUT ROWID"))}`.pipe(failed("create the table of items"))

    /** A list as rows: both databases read JSON. The column is `value`. */
    const rowsOf = (list: ReadonlyArray<unknown>) => {
      const json = JSON.stringify(list)
      return dialect(sql`json_array_elements(${json}::json)`, sql`json_each(${json})`)
    }
    const texts = dialect(sql`value #>> '{}'`, sql`value`)

    /** Holds while the batch is in an epoch. On PostgreSQL it keeps others from the next one until the commit. */
    const isIn = (batchKey: string, epoch: number) =>
      sql`(SELECT epoch FROM ${batches} WHERE key = ${batchKey} ${sql.literal(dialect("FOR SHARE", ""))}) = ${epoch}`

    return {
      insert: (batchKey, startedMillis) =>
        sql`
          INSERT INTO ${batches} (key, epoch, paused, cancel_requested, started_millis, purged)
          VALUES (${batchKey}, 0, 0, 0, ${startedMillis}, 0) ON CONFLICT DO NOTHING`.pipe(
          Effect.asVoid,
          failed("store a batch")
        ),
      find: (batchKey) =>
        sql<BatchRow>`SELECT * FROM ${batches} WHERE key = ${batchKey}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromNullable(row), toBatch)),
          failed("read a batch")
        ),
      change: (batchKey, change, epoch) =>
        sql<BatchRow>`
          UPDATE ${batches} SET ${sql.update(columnsOf(change))}
          WHERE ${sql.and([
            sql`key = ${batchKey}`,
            ...(epoch === undefined ? [] : [sql`epoch = ${epoch}`])
          ])}
          RETURNING *`.pipe(
          Effect.map(([row]) => Option.map(Option.fromNullable(row), toBatch)),
          failed("change a batch")
        ),
      add: (batchKey, epoch, added) =>
        sql<ItemRow>`
          INSERT INTO ${items} (batch, number, key, request, state)
          SELECT ${batchKey}, CAST(value->>'number' AS INTEGER), value->>'key', value->>'request', 'waiting'
          FROM ${rowsOf(added)} WHERE ${isIn(batchKey, epoch)}
          ON CONFLICT DO NOTHING RETURNING number`.pipe(
          Effect.map((rows) => rows.map(({ number }) => Number(number))),
          failed("store the items of a batch")
        ),
      write: (batchKey, epoch, changes) =>
        // SQLite would read the whole batch for each change, if it knew that all have the same one.
        sql`
          WITH change AS MATERIALIZED (
            SELECT ${batchKey} AS batch, CAST(value->>'number' AS INTEGER) AS number,
              value->>'state' AS state, CAST(value->>'sentMillis' AS BIGINT) AS sent_millis,
              value->>'reference' AS reference, value->>'result' AS result
            FROM ${rowsOf(changes)}
          )
          UPDATE ${items} AS item SET
            state = change.state,
            sent_millis = COALESCE(change.sent_millis, item.sent_millis),
            reference = COALESCE(change.reference, item.reference),
            result = COALESCE(change.result, item.result)
          FROM change
          WHERE item.batch = change.batch AND item.number = change.number
            AND ${isIn(batchKey, epoch)}
          RETURNING 1`.pipe(
          Effect.map((rows) => rows.length === changes.length),
          failed("change the items of a batch")
        ),
      read: (batchKey, { after, keys, numbers, states }, limit) =>
        sql<ItemRow>`
          SELECT number, key, request, state, sent_millis, reference, result FROM ${items}
          WHERE ${sql.and([
            sql`batch = ${batchKey}`,
            ...(after === undefined ? [] : [sql`number > ${after}`]),
            ...(states === undefined ? [] : [sql.in("state", states)]),
            ...(keys === undefined ? [] : [sql`key IN (SELECT ${texts} FROM ${rowsOf(keys)})`]),
            ...(numbers === undefined
              ? []
              : [sql`number IN (SELECT CAST(${texts} AS INTEGER) FROM ${rowsOf(numbers)})`])
          ])}
          ORDER BY number LIMIT ${limit}`.pipe(
          Effect.map((rows) => rows.map(toItem)),
          failed("read the items of a batch")
        ),
      count: (batchKey) =>
        sql<{ readonly state: Table.State; readonly count: Integer }>`
          SELECT state, COUNT(*) AS count FROM ${items} WHERE batch = ${batchKey} GROUP BY state`.pipe(
          Effect.map((rows) =>
            Object.fromEntries(rows.map(({ count, state }) => [state, Number(count)]))
          ),
          failed("count the items of a batch")
        ),
      clear: (batchKey, epoch) =>
        sql`DELETE FROM ${items} WHERE batch = ${batchKey} AND ${isIn(batchKey, epoch)}`.pipe(
          Effect.asVoid,
          failed("delete the items of a batch")
        )
    }
  })
