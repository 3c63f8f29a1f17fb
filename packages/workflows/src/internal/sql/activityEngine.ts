import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as EntityId from "@effect/cluster/EntityId"
import * as Sharding from "@effect/cluster/Sharding"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { isLockLost } from "./lockLost.js"
import { persistently } from "../persistently.js"

const Stored = Schema.parseJson(
  Schema.Exit({ success: Schema.Unknown, failure: Schema.Unknown, defect: Schema.Defect })
)
const toJson = Schema.encode(Stored)
const fromJson = Schema.decode(Stored)

export const tableName = "manilla_activities"

export const createTable = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    CREATE TABLE IF NOT EXISTS ${sql(tableName)} (
      execution_id TEXT NOT NULL, name TEXT NOT NULL, exit TEXT NOT NULL,
      stored_millis BIGINT NOT NULL, PRIMARY KEY (execution_id, name)
    ) ${sql.literal(sql.onDialectOrElse({ sqlite: () => "WITHOUT ROWID", orElse: () => "" }))}`
)

interface Row {
  readonly name: string
  readonly exit: string
}

type Instance = WorkflowEngine.WorkflowInstance["Type"]

const isAway = (error: SqlError): error is SqlError => !isLockLost(error)

/** A commit that fails is a defect of `SqlClient`. */
const failing = Effect.catchAllDefect((defect) =>
  defect instanceof SqlError ? Effect.fail(defect) : Effect.die(defect)
)

/**
 * Runs an activity in the fiber of its execution, and stores its result in one statement. The engine would store
 * a message, read it, run the activity elsewhere, and store a reply: the fourfold cost.
 *
 * With an address, a result is stored only while this runner holds the lock of the execution.
 */
export const make = (engine: WorkflowEngine.WorkflowEngine["Type"], address?: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sharding = yield* Sharding.Sharding
    const table = sql(tableName)
    const shardOf = ({ executionId, workflow }: Instance) => {
      const entityId = EntityId.make(executionId)
      const group = Context.get(workflow.annotations, ClusterSchema.ShardGroup)(entityId)
      return sharding.getShardId(entityId, group).toString()
    }
    /** Keeps others from taking the lock until the result is stored. */
    const isOwned = (instance: Instance) =>
      address === undefined
        ? sql`1 = 1`
        : sql`EXISTS (
            SELECT 1 FROM cluster_locks
            WHERE shard_id = ${shardOf(instance)} AND address = ${address} FOR SHARE
          )`

    /** The results that were stored before this run. */
    const earlier = new WeakMap<Instance, ReadonlyMap<string, string>>()
    const read = (instance: Instance) =>
      sql<Row>`SELECT name, exit FROM ${table} WHERE execution_id = ${instance.executionId}`.pipe(
        Effect.map((rows) => new Map(rows.map(({ exit, name }) => [name, exit])))
      )
    const find = (instance: Instance, name: string) =>
      Effect.gen(function* () {
        const known =
          earlier.get(instance) ?? (yield* persistently(failing(read(instance)), isAway))
        earlier.set(instance, known)
        return known.get(name)
      })

    /** Returns the stored result: the first one, if another runner was faster. */
    const insert = (instance: Instance, name: string, exit: string) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const inserted = yield* sql`
          INSERT INTO ${table} (execution_id, name, exit, stored_millis)
          SELECT ${instance.executionId}, ${name}, ${exit}, ${sql.literal(String(now))} WHERE ${isOwned(instance)}
          ON CONFLICT DO NOTHING RETURNING name`
        if (inserted.length > 0) return exit
        const stored = (yield* read(instance)).get(name)
        // Another runner has the execution: this one is about to hear of it.
        return stored ?? (yield* Effect.never)
      })

    const activityExecute: typeof engine.activityExecute = (activity, attempt) =>
      Effect.gen(function* () {
        const instance = yield* WorkflowEngine.WorkflowInstance
        const name = `${activity.name}/${attempt}`
        let stored = yield* find(instance, name)
        if (stored === undefined) {
          const own = WorkflowEngine.WorkflowInstance.initial(
            instance.workflow,
            instance.executionId
          )
          const result = yield* activity.executeEncoded.pipe(
            Workflow.intoResult,
            Effect.provideService(WorkflowEngine.WorkflowInstance, own)
          )
          if (result._tag === "Suspended") return result
          const exit = yield* Effect.orDie(toJson(result.exit))
          stored = yield* persistently(failing(insert(instance, name, exit)), isAway)
        }
        const exit = yield* Effect.orDie(fromJson(stored))
        return new Workflow.Complete({
          exit: yield* Effect.orDie(Schema.decode(activity.exitSchema)(exit))
        })
      })

    return WorkflowEngine.WorkflowEngine.of({ ...engine, activityExecute })
  })

/** See `make`. */
export const layer = <E, R>(
  engine: Layer.Layer<WorkflowEngine.WorkflowEngine, E, R>,
  address?: string
) =>
  Layer.effect(
    WorkflowEngine.WorkflowEngine,
    Effect.flatMap(WorkflowEngine.WorkflowEngine, (inner) => make(inner, address))
  ).pipe(Layer.provide(engine))
