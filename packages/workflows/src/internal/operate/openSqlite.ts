import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as database from "../sql/database.js"
import { open } from "./open.js"
import { Refused } from "./operations.js"

/** This process has nothing else to do while it waits for the lock of another one. */
const patient = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA busy_timeout = 5000`)

/** Opens a file without becoming a runner. */
export const openSqlite = (file: string) =>
  Effect.gen(function* () {
    if (!existsSync(file)) {
      const message = `${file}: there is no such file. Name the file that the worker uses.`
      return yield* new Refused({ status: 404, message })
    }
    const client = Layer.effectDiscard(Effect.ignore(patient)).pipe(
      Layer.provideMerge(database.layer(file)),
      Layer.provide(Layer.effectDiscard(database.checkName(file)))
    )
    return yield* open(file, client)
  })
