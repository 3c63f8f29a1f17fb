import type * as Redacted from "effect/Redacted"
import * as postgresClient from "../sql/postgresClient.js"
import { open } from "./open.js"

/** Opens a database without becoming a runner. */
export const openPostgres = (url: Redacted.Redacted) =>
  open(
    "PostgreSQL",
    postgresClient.layer({ url, databaseTimeout: "10 seconds", rest: "10 seconds" }, 2)
  )
