import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Execution from "../../Execution.js"
import type * as Store from "../../Store.js"
import type * as engineStore from "../engineStore.js"
import { failed } from "./failed.js"
import { grouped } from "./grouped.js"
import * as sqlBatches from "./sqlBatches.js"

interface Row {
  readonly execution_id: string
  readonly workflow: string
  readonly business_key: string
  readonly payload: string
  readonly started_millis: number
  readonly runner: number | null
  readonly due_millis: number
  readonly pause: string | null
  /** The members that no statement selects by, as JSON. */
  readonly progress: string
  readonly cancel_requested: number
  readonly ended_as: Execution.EndState | null
  readonly ended_millis: number | null
  readonly exit: string | null
  readonly purged: number
  /** Counts the changes. */
  readonly revision: number
}

type Progress = Pick<Execution.Execution, "parent" | "clocks" | "wakes" | "resource" | "outcome">

const progressFromJson = (json: string): Progress => JSON.parse(json)
const progressToJson = ({ clocks, outcome, parent, resource, wakes }: Progress) =>
  JSON.stringify({ parent, clocks, wakes, resource, outcome })

const fromRow = (row: Row): Execution.Execution => ({
  workflow: row.workflow,
  businessKey: row.business_key,
  executionId: row.execution_id,
  payload: row.payload,
  startedMillis: row.started_millis,
  runner: row.runner ?? undefined,
  dueMillis: row.due_millis,
  pause: row.pause ?? undefined,
  ...progressFromJson(row.progress),
  isCancelRequested: row.cancel_requested !== 0,
  end:
    row.ended_as === null || row.ended_millis === null
      ? undefined
      : { state: row.ended_as, atMillis: row.ended_millis },
  exit: row.exit ?? undefined,
  isPurged: row.purged !== 0
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
  progress: progressToJson(execution),
  cancel_requested: execution.isCancelRequested ? 1 : 0,
  ended_as: execution.end?.state ?? null,
  ended_millis: execution.end?.atMillis ?? null,
  exit: execution.exit ?? null,
  purged: execution.isPurged ? 1 : 0
})

/** So many rows take about 10 MB. */
const maxSeen = 10_000

const names = {
  executions: "manilla_executions",
  steps: "manilla_steps",
  runners: "manilla_runners"
}

const rowId = (row: { readonly execution_id: string }) => row.execution_id

const columns = {
  execution_id: "TEXT NOT NULL PRIMARY KEY",
  workflow: "TEXT NOT NULL",
  business_key: "TEXT NOT NULL",
  payload: "TEXT NOT NULL",
  started_millis: "BIGINT NOT NULL",
  runner: "BIGINT",
  due_millis: "BIGINT NOT NULL",
  pause: "TEXT",
  progress: "TEXT NOT NULL",
  cancel_requested: "INTEGER NOT NULL",
  ended_as: "TEXT",
  ended_millis: "BIGINT",
  exit: "TEXT",
  purged: "INTEGER NOT NULL",
  revision: "INTEGER NOT NULL"
}
const columnNames = Object.keys(columns)

const stepColumns = {
  execution_id: "TEXT NOT NULL",
  name: "TEXT NOT NULL",
  exit: "TEXT NOT NULL",
  stored_millis: "BIGINT NOT NULL"
}

const declared: Readonly<Record<string, string>> = { ...stepColumns, ...columns }
const declarations = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([name, type]) => `${name} ${type}`)

export const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql(names.executions)
  const withoutRowid = sql.literal(
    sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" })
  )
  yield* sql`CREATE TABLE IF NOT EXISTS ${table} (${sql.csv(declarations(columns))}) ${withoutRowid}`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_key ON ${table} (business_key, workflow)`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_due
    ON ${table} (due_millis) WHERE ended_millis IS NULL AND runner IS NULL`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_runner
    ON ${table} (runner) WHERE runner IS NOT NULL`
  yield* sql`
    CREATE INDEX IF NOT EXISTS manilla_executions_started
    ON ${table} (started_millis, workflow, business_key)`
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${sql(names.steps)} (
      ${sql.csv(declarations(stepColumns))}, PRIMARY KEY (execution_id, name)
    ) ${withoutRowid}`
})

/** The executions in a table of an SQLite or PostgreSQL database, which exists. */
export const make = (
  runners: engineStore.Runners
): Effect.Effect<engineStore.EngineStore, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const table = sql(names.executions)
    const steps = sql(names.steps)
    const dialect = (postgres: string, sqlite: string) =>
      sql.literal(sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => postgres }))
    /** Rows as a table in a statement: both databases read JSON. */
    const tableOf = (name: string, rows: ReadonlyArray<object>) => {
      const json = JSON.stringify(rows)
      const columns = Object.keys(rows[0] ?? {})
      const types = columns.map((column) => `${column} ${declared[column]?.split(" ", 1).join()}`)
      const members = columns.map((column) => `value->>'${column}' AS ${column}`)
      return sql.onDialectOrElse({
        sqlite: () =>
          sql`(SELECT ${sql.csv(members)} FROM json_each(${json})) AS ${sql.literal(name)}`,
        orElse: () =>
          sql`json_to_recordset(${json}::json) AS ${sql.literal(name)}(${sql.csv(types)})`
      })
    }
    const byId = <A extends { readonly execution_id: string }>(rows: ReadonlyArray<A>) =>
      new Map(rows.map((row) => [row.execution_id, row]))

    /** The rows that this process has stored last, of executions that a runner has: this one, most likely. */
    const seen = new Map<string, Row>()
    const keep = (row: Row) => {
      if (row.runner !== null && seen.size < maxSeen) seen.set(row.execution_id, row)
      else seen.delete(row.execution_id)
    }

    const nameOf = ({ businessKey, workflow }: Store.Name) =>
      JSON.stringify([workflow, businessKey])
    const findRow = grouped(nameOf, (wanted: ReadonlyArray<Store.Name>) =>
      sql<Row>`
      SELECT ${table}.* FROM ${tableOf(
        "wanted",
        wanted.map(({ businessKey, workflow }) => ({ business_key: businessKey, workflow }))
      )} JOIN ${table} USING (business_key, workflow)`.pipe(
        Effect.map(
          (rows) =>
            new Map(
              rows.map((row) => [
                nameOf({ workflow: row.workflow, businessKey: row.business_key }),
                row
              ])
            )
        )
      )
    )

    const readRow = (executionId: string) =>
      sql<Row>`SELECT * FROM ${table} WHERE execution_id = ${executionId}`.pipe(
        Effect.map(([row]) => Option.fromNullable(row)),
        failed("read an execution")
      )

    const insertRow = grouped(rowId, (rows: ReadonlyArray<Row>) =>
      sql<Pick<Row, "execution_id">>`
      INSERT INTO ${table} (${sql.csv(columnNames)})
      SELECT ${sql.csv(columnNames)} FROM ${tableOf("added", rows)} WHERE 1 = 1
      ON CONFLICT DO NOTHING RETURNING execution_id`.pipe(Effect.map(byId))
    )

    /** Replaces rows of the revision before. */
    const updateRow = grouped(rowId, (rows: ReadonlyArray<Row>) =>
      sql<Pick<Row, "execution_id">>`
      UPDATE ${table} SET ${sql.csv(columnNames.slice(1).map((column) => `${column} = changed.${column}`))}
      FROM ${tableOf("changed", rows)}
      WHERE ${table}.execution_id = changed.execution_id AND ${table}.revision = changed.revision - 1
      RETURNING ${table}.execution_id`.pipe(Effect.map(byId))
    )

    interface OwnedStep {
      readonly execution_id: string
      readonly runner: number
      readonly name: string
      readonly exit: string
      readonly stored_millis: number
    }
    /** Stores results, of executions that the runner owns until they are stored. Each row has the one that counts. */
    const insertStep = grouped(rowId, (rows: ReadonlyArray<OwnedStep>) =>
      sql<Pick<Row, "execution_id" | "cancel_requested"> & Pick<OwnedStep, "exit">>`
      INSERT INTO ${steps} (execution_id, name, exit, stored_millis)
      SELECT step.execution_id, step.name, step.exit, step.stored_millis
      FROM ${tableOf("step", rows)} CROSS JOIN ${table} AS owned
      WHERE owned.execution_id = step.execution_id AND owned.runner = step.runner
      ORDER BY owned.execution_id ${dialect("FOR SHARE OF owned", "")}
      ON CONFLICT (execution_id, name) DO UPDATE SET exit = ${steps}.exit
      RETURNING execution_id, exit, (
        SELECT cancel_requested FROM ${table} WHERE execution_id = ${steps}.execution_id
      ) AS cancel_requested`.pipe(Effect.map(byId))
    )

    const modify: engineStore.EngineStore["modify"] = (executionId, change, runner) =>
      Effect.gen(function* () {
        const known = Option.filter(
          Option.fromNullable(seen.get(executionId)),
          (row) => runner === undefined || row.runner === runner
        )
        const row = Option.isSome(known) ? known : yield* readRow(executionId)
        if (Option.isNone(row)) return Option.none()
        const before = fromRow(row.value)
        if (runner !== undefined && before.runner !== runner) return Option.none()
        const after = change(before)
        const update = { ...toRow(after), revision: row.value.revision + 1 }
        const changed = yield* failed("change an execution", before)(updateRow(update))
        if (changed === undefined) {
          // Another fiber or process was faster: the change is computed again from what it has stored.
          seen.delete(executionId)
          return yield* modify(executionId, change, runner)
        }
        keep(update)
        return Option.some(after)
      })

    const isInState = (state: Execution.Status["state"]) => {
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
      }: Store.Filter,
      after: Store.Cursor | undefined
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
            sql`(started_millis, workflow, business_key, execution_id) >
              (${after.startedMillis}, ${after.workflow}, ${after.businessKey}, ${after.executionId})`
          ])
    ]

    return {
      find: (name) =>
        findRow(name).pipe(
          Effect.map((row) => Option.map(Option.fromNullable(row), fromRow)),
          failed("read an execution", name)
        ),
      read: (executionId) => Effect.map(readRow(executionId), Option.map(fromRow)),
      modify,
      list: (filter, after, limit) =>
        sql<Row>`
        SELECT * FROM ${table} WHERE ${sql.and(conditions(filter, after))}
        ORDER BY started_millis, workflow, business_key, execution_id LIMIT ${limit}`.pipe(
          Effect.map((rows) => rows.map(fromRow)),
          failed("list executions")
        ),
      open: sql<Store.Open & Pick<Row, "workflow">>`
        SELECT workflow, COUNT(*) - COUNT(pause) AS running, COUNT(pause) AS waiting,
          MIN(started_millis) AS "oldestMillis"
        FROM (
          SELECT workflow, pause, started_millis FROM ${table}
          WHERE ended_millis IS NULL AND runner IS NULL
          UNION ALL
          SELECT workflow, pause, started_millis FROM ${table} WHERE runner IS NOT NULL
        ) AS open GROUP BY workflow`.pipe(
        Effect.map((rows) => new Map(rows.map((row) => [row.workflow, row]))),
        failed("count executions")
      ),
      insert: (execution) =>
        Effect.gen(function* () {
          const row = { ...toRow(execution), revision: 0 }
          const inserted = yield* failed("store an execution", execution)(insertRow(row))
          if (inserted === undefined) {
            return Option.map(yield* readRow(execution.executionId), fromRow)
          }
          keep(row)
          return Option.none()
        }),
      take: (runner, workflows, nowMillis, limit) =>
        sql<Row>`
        UPDATE ${table} SET runner = ${runner}, pause = NULL, revision = revision + 1
        WHERE execution_id IN (
          SELECT execution_id FROM ${table}
          WHERE ended_millis IS NULL AND runner IS NULL
            AND ${sql.in("workflow", workflows)} AND due_millis <= ${nowMillis}
            AND EXISTS (SELECT 1 FROM ${sql(names.runners)} WHERE id = ${runner})
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
        sql<Store.Step>`
        SELECT name, exit, stored_millis AS "storedMillis" FROM ${steps}
        WHERE execution_id = ${executionId} ORDER BY stored_millis, name`.pipe(
          failed("read the steps of an execution")
        ),
      keep: (executionId, runner, { exit, name, storedMillis }) =>
        insertStep({
          execution_id: executionId,
          runner,
          name,
          exit,
          stored_millis: storedMillis
        }).pipe(
          Effect.map((row) =>
            Option.map(Option.fromNullable(row), ({ cancel_requested, exit }) => ({
              exit,
              isCancelRequested: cancel_requested !== 0
            }))
          ),
          failed("store the result of a step")
        ),
      signal: (executionId, { exit, name, storedMillis }) =>
        sql`
        INSERT INTO ${steps} (${sql.csv(Object.keys(stepColumns))})
        SELECT ${sql.csv(Object.keys(stepColumns))}
        FROM ${tableOf("sent", [{ execution_id: executionId, name, exit, stored_millis: storedMillis }])}
        WHERE execution_id NOT IN (
          SELECT execution_id FROM ${table} WHERE execution_id = ${executionId} AND purged = 1
        )
        ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, failed("store a signal")),
      forget: (executionId) =>
        sql`DELETE FROM ${steps} WHERE execution_id = ${executionId}`.pipe(
          Effect.asVoid,
          failed("delete the steps of an execution")
        ),
      runners,
      batches: yield* sqlBatches.make
    }
  })
