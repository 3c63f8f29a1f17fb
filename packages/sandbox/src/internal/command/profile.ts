/**
 * The profile of the command, from the file that `manilla probe` writes.
 */
import * as Issues from "@manilla/core/Issues"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { Profile } from "../../Profile.js"
import { UsageError } from "./cli.js"

const decode = ParseResult.decode(Schema.parseJson(Profile), { errors: "all" })

export const read = (path: string) => {
  const refused = (reason: string) =>
    new UsageError({ message: `--profile cannot use ${path}: ${reason}` })
  return Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => refused(cause instanceof Error ? cause.message : String(cause))
  }).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(decode(text), (issue) => refused(Issues.print(Issues.fromParseIssue(issue))))
    )
  )
}
