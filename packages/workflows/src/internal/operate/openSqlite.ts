import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as database from "../sql/database.js"
import { open } from "./open.js"

/** This process has nothing else to do while it waits for the lock of another one. */
const patient = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA busy_timeout = 5000`)

/** Opens a file without becoming a runner. One that does not exist has no name, and is not created. */
export const openSqlite = (file: string) =>
  open(
    file,
    Layer.effectDiscard(Effect.ignore(patient)).pipe(
      Layer.provideMerge(database.layer(file)),
      Layer.provide(Layer.effectDiscard(database.checkName(file)))
    )
  )
