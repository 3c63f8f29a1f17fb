import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as database from "../sql/database.js"
import { rootMessage } from "../rootMessage.js"
import { open } from "./open.js"
import { Refused } from "./operations.js"

/** Opens a file without becoming a runner. */
export const openSqlite = (file: string) =>
  Effect.gen(function* () {
    if (!existsSync(file)) {
      const message = `${file}: there is no such file. Name the file that the worker uses.`
      return yield* new Refused({ status: 404, message })
    }
    const context = yield* Effect.zipRight(
      database.checkName(file),
      Layer.build(database.layer(file))
    ).pipe(
      Effect.mapError((error) => {
        const message = `${file}: the file cannot be used (${rootMessage(error)}). Correct the path or the permissions: only its owner may read it.`
        return new Refused({ status: 409, message })
      })
    )
    // This process has nothing else to do while it waits for the lock of another one.
    const patient = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA busy_timeout = 5000`)
    return yield* Effect.provide(Effect.zipRight(Effect.ignore(patient), open(file)), context)
  })
