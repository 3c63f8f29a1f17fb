import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Execution from "../../Execution.js"
import type * as store from "../engine/store.js"
import { rootMessage } from "../rootMessage.js"
import * as runners from "../sql/runners.js"
import * as schemaVersion from "../sql/schemaVersion.js"
import * as sqlStore from "../sql/sqlStore.js"
import { Refused } from "./operations.js"

/** Reads and changes the rows of a database beside the processes that run workflows on it. Runs nothing. */
export const open = (
  name: string
): Effect.Effect<store.Store, Refused | Execution.StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const isNew = yield* Effect.catchTags(schemaVersion.isNew(name), {
      UnsupportedSchema: ({ message }) => Effect.fail(new Refused({ status: 409, message })),
      SqlError: (error) => {
        const message = `${name}: the database cannot be used (${rootMessage(error)}). Check its name, and that it runs.`
        return Effect.fail(new Refused({ status: 409, message }))
      }
    })
    if (isNew) {
      return yield* new Refused({
        status: 404,
        message: `${name}: no workflows are stored here. Name the database that the worker uses.`
      })
    }
    return yield* sqlStore.make(yield* runners.make("1 minute"))
  })
