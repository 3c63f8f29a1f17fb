import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"

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
  readonly round: Integer
  readonly cancel_requested: Integer
  readonly ended_millis: Integer | null
}

const fromRow = (row: Row): Execution.Execution => ({
  workflow: row.workflow,
  businessKey: row.business_key,
  executionId: row.execution_id,
  payload: row.payload,
  startedMillis: Number(row.started_millis),
  dueMillis: Number(row.due_millis),
  pause: row.pause ?? undefined,
  round: Number(row.round),
  isCancelRequested: Number(row.cancel_requested) !== 0,
  endedMillis: row.ended_millis === null ? undefined : Number(row.ended_millis)
})

const mutable = (execution: Execution.Execution) => ({
  due_millis: Math.round(execution.dueMillis),
  pause: execution.pause ?? null,
  round: execution.round,
  cancel_requested: execution.isCancelRequested ? 1 : 0,
  ended_millis: execution.endedMillis ?? null
})

const toRow = (execution: Execution.Execution) => ({
  workflow: execution.workflow,
  business_key: execution.businessKey,
  execution_id: execution.executionId,
  payload: execution.payload,
  started_millis: execution.startedMillis,
  ...mutable(execution)
})

const failed =
  (operation: string) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    Effect.mapError(effect, (cause) => new Execution.StorageError({ operation, cause }))

/** The executions in a table of an SQLite or PostgreSQL database. */
export const make: Effect.Effect<
  Omit<Engine.Service, "nudge">,
  Execution.StorageError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql("manilla_executions_1")

  yield* sql`
    CREATE TABLE IF NOT EXISTS ${table} (
      workflow TEXT NOT NULL,
      business_key TEXT NOT NULL,
      execution_id TEXT NOT NULL,
      payload TEXT NOT NULL,
      started_millis BIGINT NOT NULL,
      due_millis BIGINT NOT NULL,
      pause TEXT,
      round INTEGER NOT NULL,
      cancel_requested INTEGER NOT NULL,
      ended_millis BIGINT,
      PRIMARY KEY (workflow, business_key)
    ) ${sql.literal(sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" }))}`.pipe(
    failed("create its table")
  )
  yield* sql`
    CREATE INDEX IF NOT EXISTS ${sql("manilla_executions_1_due")}
    ON ${table} (workflow, due_millis) WHERE ended_millis IS NULL`.pipe(failed("create its index"))

  const find = ({ businessKey, workflow }: Engine.Name) =>
    sql<Row>`
      SELECT * FROM ${table} WHERE workflow = ${workflow} AND business_key = ${businessKey}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromNullable(row), fromRow)),
      failed("read an execution")
    )

  /** Replaces an execution that is still as it was read. Returns whether it was. */
  const replace = (before: Execution.Execution, after: Execution.Execution) => {
    const old = mutable(before)
    return sql`
      UPDATE ${table} SET ${sql.update(mutable(after))}
      WHERE workflow = ${before.workflow} AND business_key = ${before.businessKey}
        AND due_millis = ${old.due_millis} AND pause IS NOT DISTINCT FROM ${old.pause}
        AND round = ${old.round} AND cancel_requested = ${old.cancel_requested}
        AND ended_millis IS NOT DISTINCT FROM ${old.ended_millis}
      RETURNING round`.pipe(
      Effect.map((rows) => rows.length > 0),
      failed("change an execution")
    )
  }

  const modify: Engine.Service["modify"] = (name, change) =>
    Effect.gen(function* () {
      const stored = yield* find(name)
      if (Option.isNone(stored)) return Option.none()
      const [result, changed] = change(stored.value)
      // If another fiber or process was faster, the change is computed again.
      return (yield* replace(stored.value, changed))
        ? Option.some(result)
        : yield* modify(name, change)
    })

  return {
    find,
    modify,
    insert: (execution) =>
      sql`INSERT INTO ${table} ${sql.insert(toRow(execution))} ON CONFLICT DO NOTHING`.pipe(
        failed("store an execution"),
        Effect.zipRight(find(execution)),
        Effect.map(Option.getOrElse(() => execution))
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
