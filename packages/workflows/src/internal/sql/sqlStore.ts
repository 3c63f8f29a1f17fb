import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as store from "../store.js"
import * as Execution from "../../Execution.js"

/** Integers of 64 bits arrive as bigint from SQLite, and as text from PostgreSQL. */
type Integer = bigint | number | string

interface Row {
  readonly workflow: string
  readonly business_key: string
  readonly execution_id: string
  readonly payload: string
  readonly started_millis: Integer
  readonly due_millis: Integer
  readonly pause: string | null
  readonly begun: string
  readonly resource: string | null
  readonly cancel_requested: Integer
  readonly ended_as: Execution.EndState | null
  readonly ended_millis: Integer | null
  readonly purged: Integer
  /** Counts the changes. */
  readonly revision: Integer
}

const Beginnings = Schema.parseJson(Schema.Record({ key: Schema.String, value: Execution.Begun }))
const beginnings = {
  fromJson: Schema.decodeSync(Beginnings),
  toJson: Schema.encodeSync(Beginnings)
}

const fromRow = (row: Row): Execution.Execution => ({
  workflow: row.workflow,
  businessKey: row.business_key,
  executionId: row.execution_id,
  payload: row.payload,
  startedMillis: Number(row.started_millis),
  dueMillis: Number(row.due_millis),
  pause: row.pause ?? undefined,
  begun: beginnings.fromJson(row.begun),
  resource: row.resource ?? undefined,
  isCancelRequested: Number(row.cancel_requested) !== 0,
  end:
    row.ended_as === null || row.ended_millis === null
      ? undefined
      : { state: row.ended_as, atMillis: Number(row.ended_millis) },
  isPurged: Number(row.purged) !== 0
})

const mutable = (execution: Execution.Execution) => ({
  due_millis: Math.round(execution.dueMillis),
  pause: execution.pause ?? null,
  begun: beginnings.toJson(execution.begun),
  resource: execution.resource ?? null,
  cancel_requested: execution.isCancelRequested ? 1 : 0,
  ended_as: execution.end?.state ?? null,
  ended_millis: execution.end?.atMillis ?? null,
  purged: execution.isPurged ? 1 : 0
})

const toRow = (execution: Execution.Execution) => ({
  workflow: execution.workflow,
  business_key: execution.businessKey,
  execution_id: execution.executionId,
  payload: execution.payload,
  started_millis: execution.startedMillis,
  ...mutable(execution)
})

/** So many rows take about 10 MB. */
const maxSeen = 10_000

/** A database limits the parameters of a statement. */
const keysPerQuery = 500

const failed =
  (operation: string, name?: store.Name) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    Effect.mapError(
      effect,
      (cause) =>
        new Execution.StorageError({
          operation,
          workflow: name?.workflow,
          businessKey: name?.businessKey,
          cause
        })
    )

const tableName = "manilla_executions_1"

export const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql(tableName)
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${table} (
      workflow TEXT NOT NULL,
      business_key TEXT NOT NULL,
      execution_id TEXT NOT NULL PRIMARY KEY,
      payload TEXT NOT NULL,
      started_millis BIGINT NOT NULL,
      due_millis BIGINT NOT NULL,
      pause TEXT,
      begun TEXT NOT NULL,
      resource TEXT,
      cancel_requested INTEGER NOT NULL,
      ended_as TEXT,
      ended_millis BIGINT,
      purged INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) ${sql.literal(sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" }))}`.pipe(
    failed("create its table")
  )
  yield* sql`
    CREATE INDEX IF NOT EXISTS ${sql("manilla_executions_1_key")}
    ON ${table} (business_key, workflow)`.pipe(failed("create its index"))
  yield* sql`
    CREATE INDEX IF NOT EXISTS ${sql("manilla_executions_1_due")}
    ON ${table} (workflow, due_millis) WHERE ended_millis IS NULL`.pipe(failed("create its index"))
  yield* sql`
    CREATE INDEX IF NOT EXISTS ${sql("manilla_executions_1_started")}
    ON ${table} (started_millis, workflow, business_key)`.pipe(failed("create its index"))
})

/** The executions in a table of an SQLite or PostgreSQL database, which exists. */
export const make: Effect.Effect<
  Omit<store.Store, "forget" | "history" | "nudge">,
  never,
  SqlClient.SqlClient
> = Effect.map(SqlClient.SqlClient, (sql) => {
  const table = sql(tableName)

  /** The rows that this process has stored last, of executions that are in a step. */
  const seen = new Map<string, Row>()
  const keep = (row: Row) => {
    const isInStep = row.pause === null && row.ended_millis === null
    if (isInStep && seen.size < maxSeen) seen.set(row.execution_id, row)
    else seen.delete(row.execution_id)
  }

  const find: store.Store["find"] = (name) =>
    sql<Row>`
      SELECT * FROM ${table}
      WHERE workflow = ${name.workflow} AND business_key = ${name.businessKey}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromNullable(row), fromRow)),
      failed("read an execution", name)
    )

  const readRow = (executionId: string) =>
    Effect.suspend(() => {
      const known = seen.get(executionId)
      return known === undefined
        ? sql<Row>`SELECT * FROM ${table} WHERE execution_id = ${executionId}`.pipe(
            Effect.map(([row]) => Option.fromNullable(row)),
            failed("read an execution")
          )
        : Effect.succeed(Option.some(known))
    })

  const modify: store.Store["modify"] = (executionId, change) =>
    Effect.gen(function* () {
      const row = yield* readRow(executionId)
      if (Option.isNone(row)) return Option.none()
      const revision = Number(row.value.revision)
      const before = fromRow(row.value)
      const [result, after] = change(before)
      const update = {
        ...mutable(after),
        ...(after.payload === before.payload ? {} : { payload: after.payload }),
        revision: revision + 1
      }
      const changed = yield* sql`
        UPDATE ${table} SET ${sql.update(update)}
        WHERE execution_id = ${executionId} AND revision = ${revision}
        RETURNING revision`.pipe(failed("change an execution", before))
      if (changed.length === 0) {
        // Another fiber or process was faster: the change is computed again from what it has stored.
        seen.delete(executionId)
        return yield* modify(executionId, change)
      }
      keep({ ...row.value, ...update })
      return Option.some(result)
    })

  const isInState = (state: Execution.State) => {
    switch (state) {
      case "Running":
        return sql`(ended_millis IS NULL AND pause IS NULL)`
      case "Waiting":
        return sql`(ended_millis IS NULL AND pause IS NOT NULL)`
      default:
        return sql`ended_as = ${state}`
    }
  }

  const conditions = (
    {
      businessKey,
      endedBeforeMillis,
      isPurged,
      startedBeforeMillis,
      states,
      workflow
    }: store.Filter,
    after: store.Cursor | undefined
  ) => [
    ...(workflow === undefined ? [] : [sql`workflow = ${workflow}`]),
    ...(businessKey === undefined ? [] : [sql`business_key = ${businessKey}`]),
    ...(states === undefined ? [] : [sql.or([sql`1 = 0`, ...states.map(isInState)])]),
    ...(startedBeforeMillis === undefined ? [] : [sql`started_millis < ${startedBeforeMillis}`]),
    ...(endedBeforeMillis === undefined ? [] : [sql`ended_millis < ${endedBeforeMillis}`]),
    ...(isPurged === undefined ? [] : [sql`purged = ${isPurged ? 1 : 0}`]),
    ...(after === undefined
      ? []
      : [
          sql`(started_millis, workflow, business_key) > (${after.startedMillis}, ${after.workflow}, ${after.businessKey})`
        ])
  ]

  return {
    find,
    read: (executionId) => Effect.map(readRow(executionId), Option.map(fromRow)),
    modify,
    findAll: (workflow, businessKeys) =>
      Effect.forEach(Arr.chunksOf(businessKeys, keysPerQuery), (keys) =>
        sql<Row>`
          SELECT * FROM ${table}
          WHERE workflow = ${workflow} AND ${sql.in("business_key", keys)}`.pipe(
          Effect.map((rows) => rows.map(fromRow)),
          failed("read executions")
        )
      ).pipe(Effect.map((chunks) => chunks.flat())),
    list: (filter, after, limit) =>
      sql<Row>`
        SELECT * FROM ${table} WHERE ${sql.and(conditions(filter, after))}
        ORDER BY started_millis, workflow, business_key LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map(fromRow)),
        failed("list executions")
      ),
    open: (workflow) =>
      sql<{
        readonly open: Integer
        readonly waiting: Integer
        readonly oldest: Integer | null
      }>`
        SELECT COUNT(*) AS open, COUNT(pause) AS waiting, MIN(started_millis) AS oldest
        FROM ${table} WHERE workflow = ${workflow} AND ended_millis IS NULL`.pipe(
        Effect.map(([row]) => {
          const waiting = Number(row?.waiting ?? 0)
          const oldest = row?.oldest ?? undefined
          return {
            running: Number(row?.open ?? 0) - waiting,
            waiting,
            oldestMillis: oldest === undefined ? undefined : Number(oldest)
          }
        }),
        failed("count executions")
      ),
    insert: (execution) =>
      sql`
        INSERT INTO ${table} ${sql.insert({ ...toRow(execution), revision: 0 })} ON CONFLICT DO NOTHING
        RETURNING execution_id`.pipe(
        failed("store an execution", execution),
        Effect.flatMap((inserted) => {
          const isNew = inserted.length > 0
          if (isNew) keep({ ...toRow(execution), revision: 0 })
          const earlier = isNew ? Effect.succeedNone : readRow(execution.executionId)
          return Effect.map(earlier, (row) => ({
            stored: Option.match(row, { onNone: () => execution, onSome: fromRow }),
            isNew
          }))
        })
      ),
    overdue: (workflow, beforeMillis, limit) =>
      sql<Row>`
        SELECT * FROM ${table}
        WHERE workflow = ${workflow} AND ended_millis IS NULL AND due_millis < ${beforeMillis}
        ORDER BY due_millis LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map(fromRow)),
        failed("look for executions that stopped")
      )
  }
})
