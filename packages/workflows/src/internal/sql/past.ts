import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Execution from "../../Execution.js"
import type * as store from "../store.js"
import { tableName } from "./activityEngine.js"

/** The engine's name for the executions of a workflow. */
export const entityTypeOf = (workflow: string): string => `Workflow/${workflow}`

/** The engine's name for the ends of pauses. */
const clock = "Workflow/-/DurableClock"

interface Step {
  readonly name: string
  readonly exit: string
  readonly stored_millis: bigint | string
}

/** The result of an execution in a reply of the engine, or none. */
const exitOf = (payload: string | null): unknown => {
  const exit: unknown = payload === null ? undefined : JSON.parse(payload)
  if (!Predicate.isRecord(exit)) return undefined
  // A defect of the engine itself.
  if (exit["_tag"] !== "Success") return exit
  const result = exit["value"]
  return Predicate.isRecord(result) && result["_tag"] === "Complete" ? result["exit"] : undefined
}

const failed =
  (operation: string) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    effect.pipe(
      // A commit that fails is a defect of `SqlClient`.
      Effect.catchAllDefect((defect) =>
        defect instanceof SqlError ? Effect.fail(defect) : Effect.die(defect)
      ),
      Effect.mapError((cause) => new Execution.StorageError({ operation, cause }))
    )

/** What the engine has stored of an execution, and how it is deleted. */
export const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const activities = sql(tableName)

  /** The results of an execution: none if it is not stored, and undefined before its end. */
  const ends = (workflow: string, executionId: string) =>
    sql<{ readonly payload: string | null }>`
      SELECT r.payload FROM cluster_messages m
      LEFT JOIN cluster_replies r ON r.request_id = m.request_id AND r.kind = 0
      WHERE m.entity_type = ${entityTypeOf(workflow)} AND m.entity_id = ${executionId}
        AND m.kind = 0 AND m.tag = 'run'`.pipe(
      Effect.map((rows) => rows.map(({ payload }) => exitOf(payload)))
    )

  const past: Pick<store.Store, "forget" | "history"> = {
    forget: ({ executionId, workflow }) =>
      Effect.gen(function* () {
        const found = yield* ends(workflow, executionId)
        if (found.length > 0 && found.every(Predicate.isUndefined)) return false
        const messages = sql`
          FROM cluster_messages WHERE entity_id = ${executionId}
          AND entity_type IN (${entityTypeOf(workflow)}, ${clock})`
        yield* sql`DELETE FROM ${activities} WHERE execution_id = ${executionId}`
        yield* sql`DELETE FROM cluster_replies WHERE request_id IN (SELECT id ${messages})`
        yield* sql`DELETE ${messages}`
        return true
      }).pipe(sql.withTransaction, failed("delete what the engine stored")),
    history: ({ executionId, workflow }) =>
      Effect.gen(function* () {
        const steps = yield* sql<Step>`
          SELECT name, exit, stored_millis FROM ${activities}
          WHERE execution_id = ${executionId} ORDER BY stored_millis, name`
        const [exit] = yield* ends(workflow, executionId)
        return {
          steps: steps.map(({ exit, name, stored_millis }) => ({
            name,
            exit: JSON.parse(exit),
            storedMillis: Number(stored_millis)
          })),
          exit
        }
      }).pipe(failed("read the steps of an execution"))
  }
  return past
})
