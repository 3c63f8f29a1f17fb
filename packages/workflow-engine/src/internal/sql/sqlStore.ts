import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type * as Execution from "../../Execution.js"
import type * as Store from "../../Store.js"
import type * as engineStore from "../engineStore.js"
import { grouped } from "./grouped.js"
import * as sqlBatches from "./sqlBatches.js"
import * as statements from "./statements.js"
import { failed, given } from "./statements.js"

const columns = {
  execution_id: "TEXT NOT NULL PRIMARY KEY",
  workflow: "TEXT NOT NULL",
  business_key: "TEXT NOT NULL",
  payload: "TEXT NOT NULL",
  started_millis: "BIGINT NOT NULL",
  runner: "BIGINT",
  due_millis: "BIGINT NOT NULL",
  pause: "TEXT",
  /** The members that no statement selects by, as JSON. */
  progress: "TEXT NOT NULL",
  cancel_requested: "INTEGER NOT NULL",
  ended_as: "TEXT",
  ended_millis: "BIGINT",
  exit: "TEXT",
  purged: "INTEGER NOT NULL",
  /** Counts the changes. */
  revision: "INTEGER NOT NULL"
} as const
const columnNames = Object.keys(columns)

interface Row extends statements.Row<typeof columns> {
  readonly ended_as: Execution.EndState | null
}

const stepColumns = {
  execution_id: "TEXT NOT NULL",
  name: "TEXT NOT NULL",
  exit: "TEXT NOT NULL",
  stored_millis: "BIGINT NOT NULL"
} as const

type StepRow = statements.Row<typeof stepColumns>

const progressNames = [
  "parent",
  "clocks",
  "cause",
  "wakes",
  "isAwaited",
  "step",
  "deaths",
  "resource",
  "outcome"
] as const
type Progress = Pick<Execution.Execution, (typeof progressNames)[number]>
/** Rows of an earlier version have none of some. */
const progressFromJson = (json: string): Progress => ({
  isAwaited: false,
  deaths: 0,
  ...JSON.parse(json)
})

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

const toRow = (execution: Execution.Execution, revision: number): Row => ({
  workflow: execution.workflow,
  business_key: execution.businessKey,
  execution_id: execution.executionId,
  payload: execution.payload,
  started_millis: execution.startedMillis,
  runner: execution.runner ?? null,
  due_millis: Math.round(execution.dueMillis),
  pause: execution.pause ?? null,
  progress: JSON.stringify(Struct.pick(execution, ...progressNames)),
  cancel_requested: execution.isCancelRequested ? 1 : 0,
  ended_as: execution.end?.state ?? null,
  ended_millis: execution.end?.atMillis ?? null,
  exit: execution.exit ?? null,
  purged: execution.isPurged ? 1 : 0,
  revision
})

const toStepRow = (executionId: string, { exit, name, storedMillis }: Store.Step): StepRow => ({
  execution_id: executionId,
  name,
  exit,
  stored_millis: storedMillis
})

/** So many rows take about 10 MB. */
const maxSeen = 10_000

type Id = Pick<Row, "execution_id">
const idOf = (row: Id) => row.execution_id

/** In the order of the executions. */
const stepOf = (row: Pick<StepRow, "execution_id" | "name">) => `${row.execution_id} ${row.name}`

type Name = Pick<Row, "workflow" | "business_key">
const nameOf = (row: Name) => JSON.stringify([row.workflow, row.business_key])

/** The executions in a table of an SQLite or PostgreSQL database, which exists. */
export const make = (
  runners: engineStore.Runners
): Effect.Effect<engineStore.EngineStore, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const dialect = statements.dialect(sql)
    const tableOf = statements.tableOf(sql, { ...columns, ...stepColumns })
    const idsOf = statements.tableOf(sql, Struct.pick(columns, "execution_id"))

    /** The rows that this process has stored last, of executions that a runner has: this one, most likely. */
    const seen = new Map<string, Row>()
    const remember = (row: Row) => {
      if (row.runner !== null && seen.size < maxSeen) seen.set(row.execution_id, row)
      else seen.delete(row.execution_id)
    }

    const runtime = yield* Effect.runtime<never>()
    const first = grouped(runtime, "first")
    const shared = grouped(runtime, "shared")

    const findRow = shared(
      nameOf,
      (wanted: ReadonlyArray<Name>) =>
        sql<Row>`
          SELECT manilla_executions.*
          FROM ${tableOf("wanted", wanted)} JOIN manilla_executions USING (business_key, workflow)`
    )

    const rowOf = shared(
      idOf,
      (wanted: ReadonlyArray<Id>) =>
        sql<Row>`
          SELECT manilla_executions.*
          FROM ${idsOf("wanted", wanted)} JOIN manilla_executions USING (execution_id)`
    )

    const readRow = (executionId: string) =>
      rowOf({ execution_id: executionId }).pipe(
        Effect.map(Option.fromNullable),
        failed("read an execution")
      )

    const wakeRow = shared(
      idOf,
      (woken: ReadonlyArray<Id>) =>
        sql<Id>`
          UPDATE manilla_executions SET
            due_millis = 0,
            revision = revision + 1,
            progress = ${dialect(
              "jsonb_set(progress::jsonb, '{wakes}', to_jsonb((progress::jsonb->>'wakes')::bigint + 1))::text",
              "json_set(progress, '$.wakes', json_extract(progress, '$.wakes') + 1)"
            )}
          FROM ${idsOf("woken", woken)}
          WHERE manilla_executions.execution_id = woken.execution_id AND ended_millis IS NULL
          RETURNING manilla_executions.execution_id`
    )

    const deleteSteps = shared(
      idOf,
      (purged: ReadonlyArray<Id>) =>
        sql<Id>`
          DELETE FROM manilla_steps
          WHERE execution_id IN (SELECT execution_id FROM ${idsOf("purged", purged)})`
    )

    const insertRow = first(
      idOf,
      (rows: ReadonlyArray<Row>) =>
        sql<Id>`
          INSERT INTO manilla_executions (${sql.csv(columnNames)})
          SELECT ${sql.csv(columnNames)} FROM ${tableOf("added", rows)} WHERE 1 = 1
          ON CONFLICT DO NOTHING RETURNING execution_id`
    )

    /** Replaces rows of the revision before. */
    const updateRow = first(
      idOf,
      (rows: ReadonlyArray<Row>) =>
        sql<Id>`
          UPDATE manilla_executions SET ${sql.csv(columnNames.slice(1).map((column) => `${column} = changed.${column}`))}
          FROM ${tableOf("changed", rows)}
          WHERE manilla_executions.execution_id = changed.execution_id AND manilla_executions.revision = changed.revision - 1
          RETURNING manilla_executions.execution_id`
    )

    /** Stores results, of executions that the runner owns until they are stored. Each row has the one that counts. */
    const insertStep = first(
      stepOf,
      (rows: ReadonlyArray<StepRow & { readonly runner: number }>) =>
        sql<Pick<Row, "cancel_requested"> & Pick<StepRow, "execution_id" | "name" | "exit">>`
          INSERT INTO manilla_steps (execution_id, name, exit, stored_millis)
          SELECT step.execution_id, step.name, step.exit, step.stored_millis
          FROM ${tableOf("step", rows)} CROSS JOIN manilla_executions AS owned
          WHERE owned.execution_id = step.execution_id AND owned.runner = step.runner
          ORDER BY owned.execution_id ${dialect("FOR SHARE OF owned", "")}
          ON CONFLICT (execution_id, name) DO UPDATE SET exit = manilla_steps.exit
          RETURNING execution_id, name, exit, (
            SELECT cancel_requested FROM manilla_executions WHERE execution_id = manilla_steps.execution_id
          ) AS cancel_requested`
    )

    const insertSignal = first(
      stepOf,
      (rows: ReadonlyArray<StepRow>) =>
        sql<StepRow>`
          INSERT INTO manilla_steps (execution_id, name, exit, stored_millis)
          SELECT execution_id, name, exit, stored_millis FROM ${tableOf("sent", rows)}
          WHERE NOT EXISTS (
            SELECT 1 FROM manilla_executions AS one
            WHERE one.execution_id = sent.execution_id AND one.ended_millis IS NOT NULL
          )
          ON CONFLICT DO NOTHING`
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
        const update = toRow(after, row.value.revision + 1)
        const changed = yield* failed("change an execution", before)(updateRow(update))
        if (changed === undefined) {
          // Another fiber or process was faster: the change is computed again from what it has stored.
          seen.delete(executionId)
          return yield* modify(executionId, change, runner)
        }
        remember(update)
        return Option.some(after)
      })

    /** Reads the pause of open executions only: it is not in the index. */
    const isInState = (state: Execution.Status["state"]) =>
      state === "Running" || state === "Waiting"
        ? sql`(ended_as IS NULL AND (
            SELECT pause IS ${sql.literal(state === "Running" ? "" : "NOT")} NULL FROM manilla_executions AS one
            WHERE one.execution_id = listed.execution_id
          ))`
        : sql`ended_as = ${state}`

    return {
      find: (name) =>
        findRow({ workflow: name.workflow, business_key: name.businessKey }).pipe(
          Effect.map((row) => Option.map(Option.fromNullable(row), fromRow)),
          failed("read an execution", name)
        ),
      read: (executionId) => Effect.map(readRow(executionId), Option.map(fromRow)),
      modify,
      list: (filter, after, limit) => {
        const places = ["started_millis", "workflow", "business_key", "execution_id"]
        const direction = filter.isNewestFirst ? "DESC" : "ASC"
        const order = sql.literal(places.map((place) => `${place} ${direction}`).join(", "))
        return sql<Row>`
          SELECT * FROM manilla_executions WHERE execution_id IN (
            SELECT execution_id FROM manilla_executions AS listed
            WHERE ${sql.and([
              ...given(filter.workflow, (workflow) => sql`workflow = ${workflow}`),
              ...given(filter.businessKey, (key) => sql`business_key = ${key}`),
              ...given(filter.states, (some) => sql.or([sql`1 = 0`, ...some.map(isInState)])),
              ...given(filter.startedFromMillis, (millis) => sql`started_millis >= ${millis}`),
              ...given(filter.startedBeforeMillis, (millis) => sql`started_millis < ${millis}`),
              ...given(
                filter.endedBeforeMillis,
                (millis) => sql`(ended_millis < ${millis} AND started_millis <= ${millis})`
              ),
              ...given(filter.isPurged, (isPurged) => sql`purged = ${isPurged ? 1 : 0}`),
              ...given(
                after,
                ({ businessKey, executionId, startedMillis, workflow }) =>
                  sql`(${sql.literal(places.join(", "))}) ${sql.literal(filter.isNewestFirst ? "<" : ">")}
                    (${startedMillis}, ${workflow}, ${businessKey}, ${executionId})`
              )
            ])}
            ORDER BY ${order} LIMIT ${limit}
          )
          ORDER BY ${order}`.pipe(
          Effect.map((rows) => rows.map(fromRow)),
          failed("list executions")
        )
      },
      open: sql<Store.Open & Pick<Row, "workflow">>`
        SELECT workflow, COUNT(*) - COUNT(pause) AS running, COUNT(pause) AS waiting,
          MIN(started_millis) AS "oldestMillis"
        FROM (
          SELECT workflow, pause, started_millis FROM manilla_executions
          WHERE ended_millis IS NULL AND runner IS NULL
          UNION ALL
          SELECT workflow, pause, started_millis FROM manilla_executions WHERE runner IS NOT NULL AND ended_millis IS NULL
        ) AS open GROUP BY workflow`.pipe(
        Effect.map((rows) => new Map(rows.map((row) => [row.workflow, row]))),
        failed("count executions")
      ),
      insert: (execution) =>
        Effect.gen(function* () {
          const row = toRow(execution, 0)
          const inserted = yield* failed("store an execution", execution)(insertRow(row))
          if (inserted === undefined) {
            return Option.map(yield* readRow(execution.executionId), fromRow)
          }
          remember(row)
          return Option.none()
        }),
      take: (runner, workflows, nowMillis, limit) =>
        sql<Row>`
        UPDATE manilla_executions SET runner = ${runner}, pause = NULL, revision = revision + 1
        WHERE execution_id IN (
          SELECT execution_id FROM manilla_executions
          WHERE ended_millis IS NULL AND runner IS NULL
            AND ${sql.in("workflow", workflows)} AND due_millis <= ${nowMillis}
            AND EXISTS (SELECT 1 FROM manilla_runners WHERE id = ${runner})
          ORDER BY due_millis LIMIT ${limit} ${dialect("FOR UPDATE SKIP LOCKED", "")}
        )
        RETURNING *`.pipe(
          Effect.map((rows) => {
            rows.forEach(remember)
            return { taken: rows.map(fromRow), nextMillis: Infinity }
          }),
          failed("look for executions that are due")
        ),
      owned: (runner) =>
        sql<Id>`SELECT execution_id FROM manilla_executions WHERE runner = ${runner}`.pipe(
          Effect.map((rows) => rows.map(idOf)),
          failed("read what a runner has")
        ),
      steps: (executionId) =>
        sql<Store.Step>`
        SELECT name, exit, stored_millis AS "storedMillis" FROM manilla_steps
        WHERE execution_id = ${executionId} ORDER BY stored_millis, name`.pipe(
          failed("read the steps of an execution")
        ),
      wake: (executionId) =>
        wakeRow({ execution_id: executionId }).pipe(
          Effect.map(() => void seen.delete(executionId)),
          failed("wake an execution")
        ),
      storeStep: (executionId, runner, step) =>
        insertStep({ ...toStepRow(executionId, step), runner }).pipe(
          Effect.map((row) =>
            Option.map(Option.fromNullable(row), ({ cancel_requested, exit }) => ({
              exit,
              isCancelRequested: cancel_requested !== 0
            }))
          ),
          failed("store the result of a step")
        ),
      signal: (executionId, step) =>
        insertSignal(toStepRow(executionId, step)).pipe(Effect.asVoid, failed("store a signal")),
      forgetSignals: (beforeMillis) =>
        sql`
          DELETE FROM manilla_steps
          WHERE name LIKE 'deferred/%' AND stored_millis < ${beforeMillis} AND NOT EXISTS (
            SELECT 1 FROM manilla_executions AS one WHERE one.execution_id = manilla_steps.execution_id
          )`.pipe(Effect.asVoid, failed("delete signals")),
      forget: (executionId) =>
        Effect.asVoid(
          failed("delete the steps of an execution")(deleteSteps({ execution_id: executionId }))
        ),
      runners,
      batches: yield* sqlBatches.make
    }
  })
