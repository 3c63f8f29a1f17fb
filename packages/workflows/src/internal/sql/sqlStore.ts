import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as store from "../engine/store.js"
import * as Execution from "../../Execution.js"

/** Integers of 64 bits arrive as bigint from SQLite, and as text from PostgreSQL. */
type Integer = bigint | number | string

interface Row {
  readonly execution_id: string
  readonly workflow: string
  readonly business_key: string
  readonly payload: string
  readonly started_millis: Integer
  readonly runner: Integer | null
  readonly due_millis: Integer
  readonly pause: string | null
  /** The members that no statement selects by, as JSON. */
  readonly progress: string
  readonly cancel_requested: Integer
  readonly ended_as: Execution.EndState | null
  readonly ended_millis: Integer | null
  readonly exit: string | null
  readonly purged: Integer
  /** Counts the changes. */
  readonly revision: Integer
}

const Progress = Schema.parseJson(
  Schema.Struct({
    parent: Schema.UndefinedOr(Schema.String),
    clocks: Schema.Record({ key: Schema.String, value: Schema.Number }),
    wakes: Schema.Number,
    resource: Schema.UndefinedOr(Schema.String)
  })
)
const progress = { fromJson: Schema.decodeSync(Progress), toJson: Schema.encodeSync(Progress) }

const fromRow = (row: Row): Execution.Execution => ({
  workflow: row.workflow,
  businessKey: row.business_key,
  executionId: row.execution_id,
  payload: row.payload,
  startedMillis: Number(row.started_millis),
  runner: row.runner === null ? undefined : Number(row.runner),
  dueMillis: Number(row.due_millis),
  pause: row.pause ?? undefined,
  ...progress.fromJson(row.progress),
  isCancelRequested: Number(row.cancel_requested) !== 0,
  end:
    row.ended_as === null || row.ended_millis === null
      ? undefined
      : { state: row.ended_as, atMillis: Number(row.ended_millis) },
  exit: row.exit ?? undefined,
  isPurged: Number(row.purged) !== 0
})

const toRow = (execution: Execution.Execution): Omit<Row, "revision"> => ({
  workflow: execution.workflow,
  business_key: execution.businessKey,
  execution_id: execution.executionId,
  payload: execution.payload,
  started_millis: execution.startedMillis,
  runner: execution.runner ?? null,
  due_millis: Math.round(execution.dueMillis),
  pause: execution.pause ?? null,
  progress: progress.toJson(execution),
  cancel_requested: execution.isCancelRequested ? 1 : 0,
  ended_as: execution.end?.state ?? null,
  ended_millis: execution.end?.atMillis ?? null,
  exit: execution.exit ?? null,
  purged: execution.isPurged ? 1 : 0
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

const names = { executions: "manilla_executions", steps: "manilla_steps" }

export const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql(names.executions)
  const withoutRowid = sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" })
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${table} (
      execution_id TEXT NOT NULL PRIMARY KEY,
      workflow TEXT NOT NULL,
      business_key TEXT NOT NULL,
      payload TEXT NOT NULL,
      started_millis BIGINT NOT NULL,
      runner BIGINT,
      due_millis BIGINT NOT NULL,
      pause TEXT,
      progress TEXT NOT NULL,
      cancel_requested INTEGER NOT NULL,
      ended_as TEXT,
      ended_millis BIGINT,
      exit TEXT,
      purged INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) ${sql.literal(withoutRowid)}`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_key ON ${table} (business_key, workflow)`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_due
    ON ${table} (workflow, due_millis) WHERE ended_millis IS NULL`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_runner
    ON ${table} (runner) WHERE runner IS NOT NULL`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_started
    ON ${table} (started_millis, workflow, business_key)`
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${sql(names.steps)} (
      execution_id TEXT NOT NULL,
      name TEXT NOT NULL,
      exit TEXT NOT NULL,
      stored_millis BIGINT NOT NULL,
      PRIMARY KEY (execution_id, name)
    ) ${sql.literal(withoutRowid)}`
})

/** The executions in a table of an SQLite or PostgreSQL database, which exists. */
export const make = (
  runners: store.Runners
): Effect.Effect<store.Store, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const table = sql(names.executions)
    const steps = sql(names.steps)
    const dialect = (postgres: string, sqlite: string) =>
      sql.literal(sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => postgres }))
    /** Numbers in a list of expressions, which PostgreSQL would take for text. */
    const number = (value: number) => sql.literal(String(Math.round(value)))

    /** The rows that this process has stored last, of executions that a runner has: this one, most likely. */
    const seen = new Map<string, Row>()
    const keep = (row: Row) => {
      if (row.runner !== null && seen.size < maxSeen) seen.set(row.execution_id, row)
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
      sql<Row>`SELECT * FROM ${table} WHERE execution_id = ${executionId}`.pipe(
        Effect.map(([row]) => Option.fromNullable(row)),
        failed("read an execution")
      )

    const modify: store.Store["modify"] = (executionId, change, runner) =>
      Effect.gen(function* () {
        const known = Option.filter(
          Option.fromNullable(seen.get(executionId)),
          (row) => runner === undefined || Number(row.runner) === runner
        )
        const row = Option.isSome(known) ? known : yield* readRow(executionId)
        if (Option.isNone(row)) return Option.none()
        const before = fromRow(row.value)
        if (runner !== undefined && before.runner !== runner) return Option.none()
        const revision = Number(row.value.revision)
        const [result, after] = change(before)
        const update = { ...toRow(after), revision: revision + 1 }
        const changed = yield* sql`
        UPDATE ${table} SET ${sql.update(update, ["execution_id"])}
        WHERE execution_id = ${executionId} AND revision = ${revision}
        RETURNING revision`.pipe(failed("change an execution", before))
        if (changed.length === 0) {
          // Another fiber or process was faster: the change is computed again from what it has stored.
          seen.delete(executionId)
          return yield* modify(executionId, change, runner)
        }
        keep(update)
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
      take: (runner, workflows, nowMillis, limit) =>
        sql<Row>`
        UPDATE ${table} SET runner = ${runner}, pause = NULL, revision = revision + 1
        WHERE execution_id IN (
          SELECT execution_id FROM ${table}
          WHERE ended_millis IS NULL AND runner IS NULL
            AND ${sql.in("workflow", workflows)} AND due_millis <= ${nowMillis}
          ORDER BY due_millis LIMIT ${limit} ${dialect("FOR UPDATE SKIP LOCKED", "")}
        )
        RETURNING *`.pipe(
          Effect.map((rows) => {
            rows.forEach(keep)
            return { taken: rows.map(fromRow), nextMillis: Infinity }
          }),
          failed("look for executions that are due")
        ),
      owned: (runner) =>
        sql<
          Pick<Row, "execution_id">
        >`SELECT execution_id FROM ${table} WHERE runner = ${runner}`.pipe(
          Effect.map((rows) => rows.map(({ execution_id }) => execution_id)),
          failed("read what a runner has")
        ),
      steps: (executionId) =>
        sql<{ readonly name: string; readonly exit: string; readonly stored_millis: Integer }>`
        SELECT name, exit, stored_millis FROM ${steps}
        WHERE execution_id = ${executionId} ORDER BY stored_millis, name`.pipe(
          Effect.map((rows) =>
            rows.map(({ exit, name, stored_millis }) => ({
              name,
              exit,
              storedMillis: Number(stored_millis)
            }))
          ),
          failed("read the steps of an execution")
        ),
      keep: (executionId, runner, { exit, name, storedMillis }) =>
        Effect.gen(function* () {
          interface Kept {
            readonly exit: string
            readonly cancelled: Integer
          }
          const cancelled = sql`
          (SELECT cancel_requested FROM ${table} WHERE execution_id = ${executionId}) AS cancelled`
          const owned = sql`
          FROM ${table} WHERE execution_id = ${executionId} AND runner = ${runner}`
          const inserted = yield* sql<Kept>`
          INSERT INTO ${steps} (execution_id, name, exit, stored_millis)
          SELECT ${executionId}, ${name}, ${exit}, ${number(storedMillis)} ${owned}
          ${dialect("FOR SHARE", "")}
          ON CONFLICT DO NOTHING RETURNING exit, ${cancelled}`
          // An earlier try of this statement may have stored it.
          const [kept] =
            inserted.length > 0
              ? inserted
              : yield* sql<Kept>`
                SELECT exit, ${cancelled} FROM ${steps}
                WHERE execution_id = ${executionId} AND name = ${name} AND EXISTS (SELECT 1 ${owned})`
          return Option.map(Option.fromNullable(kept), ({ cancelled, exit }) => ({
            exit,
            isCancelRequested: Number(cancelled) !== 0
          }))
        }).pipe(failed("store the result of a step")),
      signal: (executionId, { exit, name, storedMillis }) =>
        sql`
        INSERT INTO ${steps}
        ${sql.insert({ execution_id: executionId, name, exit, stored_millis: storedMillis })}
        ON CONFLICT DO NOTHING RETURNING name`.pipe(
          Effect.map((rows) => rows.length > 0),
          failed("store a signal")
        ),
      forget: (executionId) =>
        sql`DELETE FROM ${steps} WHERE execution_id = ${executionId}`.pipe(
          Effect.asVoid,
          failed("delete the steps of an execution")
        ),
      runners
    }
  })
