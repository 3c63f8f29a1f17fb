import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Engine from "../../Engine.js"
import * as runners from "../sql/runners.js"
import * as schemaVersion from "../sql/schemaVersion.js"
import * as sqlStore from "../sql/sqlStore.js"
import { Refused } from "./operations.js"

/** Reads and changes the rows of a database beside the processes that run workflows on it. Runs and creates nothing. */
export const open = (database: string, client: Layer.Layer<SqlClient.SqlClient, SqlError>) =>
  Effect.gen(function* () {
    if (yield* schemaVersion.isNew(database)) {
      const message = `${database}: no workflows are stored here. Name the database that the worker uses.`
      return yield* new Refused({ status: 404, message })
    }
    return yield* sqlStore.make(yield* runners.make("1 minute"))
  }).pipe(
    (store) => Effect.flatMap(Layer.build(client), (context) => Effect.provide(store, context)),
    Effect.catchTag("SqlError", (cause) =>
      Effect.fail(new Engine.DatabaseUnavailable({ database, cause }))
    )
  )
