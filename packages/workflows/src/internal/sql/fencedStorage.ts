import { PersistenceError } from "@effect/cluster/ClusterError"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as dueStorage from "./dueStorage.js"
import { LockLost } from "./lockLost.js"

/**
 * The engine's messages in PostgreSQL, in which a runner that was stopped and has lost its locks cannot store
 * results before its successor does. A lock names its runner by address, which the successor may share: see
 * `refuse` of `Running` for refusals.
 */
export const layer = (address: string) =>
  Layer.effect(
    MessageStorage.MessageStorage,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storage = yield* MessageStorage.MessageStorage

      /** Also keeps others from taking the lock until the transaction ends. */
      const holdLock = (requestId: string) =>
        sql`
          SELECT shard_id FROM cluster_locks
          WHERE shard_id = (SELECT shard_id FROM cluster_messages WHERE id = ${requestId})
            AND address = ${address}
          FOR SHARE`.pipe(
          PersistenceError.refail,
          Effect.filterOrFail(
            (rows) => rows.length > 0,
            () => {
              const message = `${address} no longer runs this execution, and its result is dropped.`
              return new PersistenceError({ cause: new LockLost({ message }) })
            }
          )
        )

      return {
        ...storage,
        saveReply: (reply) =>
          holdLock(`${reply.reply.requestId}`).pipe(
            Effect.zipRight(storage.saveReply(reply)),
            sql.withTransaction,
            Effect.catchTag("SqlError", (cause) => new PersistenceError({ cause }))
          )
      }
    })
  ).pipe(Layer.provide(dueStorage.layer))
