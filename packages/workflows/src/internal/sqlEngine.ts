import type * as MessageStorage from "@effect/cluster/MessageStorage"
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Batches } from "../Batch.js"
import * as Engine from "../Engine.js"
import * as cluster from "./cluster.js"
import * as patientStorage from "./patientStorage.js"
import * as batchTable from "./sql/batchTable.js"
import * as sqlStore from "./sqlStore.js"

/** With a write-ahead log, readers do not wait for the writer. */
const prepared = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA journal_mode = WAL`)
)

type Storage = Layer.Layer<
  MessageStorage.MessageStorage,
  SqlError,
  SqlClient.SqlClient | ShardingConfig.ShardingConfig
>

/** The executions in a database, beside the engine's messages. */
export const executions = Layer.effect(
  Engine.Engine,
  Effect.map(Effect.all([sqlStore.make, cluster.make]), ([store, messages]) => ({
    ...store,
    ...messages
  }))
)

/** Batches in the same database. */
export const batches = Layer.effect(Batches, batchTable.make)

/** The engine on an SQLite database that no other process uses. */
export const layer = (storage: Storage = patientStorage.layer) =>
  Layer.merge(executions, batches).pipe(
    Layer.provideMerge(cluster.layer),
    Layer.provide(storage),
    Layer.provide([prepared, cluster.config])
  )
