import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Execution from "../../Execution.js"
import { rootMessage } from "../rootMessage.js"
import * as batchTable from "../sql/batchTable.js"
import * as runners from "../sql/runners.js"
import * as schemaVersion from "../sql/schemaVersion.js"
import * as sqlStore from "../sql/sqlStore.js"
import { type Inside, Refused } from "./operations.js"

/** Reads and changes the rows of a database beside the processes that run workflows on it. Runs nothing. */
export const open = (
  name: string
): Effect.Effect<Inside, Refused | Execution.StorageError, SqlClient.SqlClient> =>
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
    return {
      executions: yield* sqlStore.make(yield* runners.make("1 minute")),
      batches: yield* batchTable.make
    }
  })
