import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { rootMessage } from "../rootMessage.js"
import * as postgresClient from "../sql/postgresClient.js"
import { open } from "./open.js"
import { Refused } from "./operations.js"

/** Opens a database without becoming a runner. */
export const openPostgres = (url: Redacted.Redacted) =>
  Layer.build(
    postgresClient.layer({ url, databaseTimeout: "10 seconds", rest: "10 seconds" }, 2)
  ).pipe(
    Effect.mapError((error) => {
      const message = `the database cannot be used (${rootMessage(error)}). Check the URL, and that the server runs.`
      return new Refused({ status: 409, message })
    }),
    Effect.flatMap((context) => Effect.provide(open("the database"), context))
  )
