import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Engine from "../../Engine.js"
import { forOperator } from "../engineStore.js"
import * as runners from "./runners.js"
import * as schemaVersion from "./schemaVersion.js"
import * as sqlStore from "./sqlStore.js"

/** Reads and changes the rows of a database beside the processes that run workflows on it. Runs and creates nothing. */
export const open = (database: string, client: Layer.Layer<SqlClient.SqlClient, SqlError>) =>
  Effect.gen(function* () {
    if (yield* schemaVersion.isNew(database)) {
      return yield* new Engine.DatabaseUnavailable({
        database,
        cause: "no workflows are stored here"
      })
    }
    return forOperator(yield* sqlStore.make(yield* runners.make("1 minute")))
  }).pipe(
    (store) => Effect.flatMap(Layer.build(client), (context) => Effect.provide(store, context)),
    Effect.catchTag("SqlError", (cause) =>
      Effect.fail(new Engine.DatabaseUnavailable({ database, cause }))
    )
  )
