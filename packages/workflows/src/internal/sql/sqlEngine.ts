import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import type * as MessageStorage from "@effect/cluster/MessageStorage"
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Batches } from "../../Batch.js"
import * as Engine from "../../Engine.js"
import * as activityEngine from "./activityEngine.js"
import * as cluster from "./cluster.js"
import * as patientStorage from "./patientStorage.js"
import * as past from "./past.js"
import * as recordedEngine from "../recordedEngine.js"
import * as batchTable from "./batchTable.js"
import * as sqlStore from "./sqlStore.js"

/** Our tables, beside those of the engine's messages. */
export const createTables = Effect.all(
  [sqlStore.createTables, activityEngine.createTable, batchTable.createTables],
  { discard: true }
)

/** With a write-ahead log, readers do not wait for the writer. */
const prepared = Layer.effectDiscard(
  Effect.zipRight(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA journal_mode = WAL`),
    createTables
  )
)

type Storage = Layer.Layer<
  MessageStorage.MessageStorage,
  SqlError,
  SqlClient.SqlClient | ShardingConfig.ShardingConfig
>

/** The executions in a database, beside the engine's messages. */
const executions = Layer.effect(
  Engine.Engine,
  Effect.map(Effect.all([sqlStore.make, past.make, cluster.make]), ([store, past, messages]) => ({
    ...store,
    ...past,
    ...messages
  }))
)

/** The engine, and the executions and batches in the same database. */
export const engine = (address?: string) =>
  recordedEngine
    .layer(activityEngine.layer(ClusterWorkflowEngine.layer, address))
    .pipe(Layer.provideMerge(executions), Layer.merge(Layer.effect(Batches, batchTable.make)))

/** The engine on an SQLite database that no other process uses. */
export const layer = (storage: Storage = patientStorage.layer) =>
  engine().pipe(
    Layer.provide(cluster.layer),
    Layer.provide(storage),
    Layer.provide([prepared, cluster.config])
  )
