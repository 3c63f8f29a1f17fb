/**
 * The profile of the command, from the file that `manilla probe` writes.
 */
import * as Issues from "@manilla/core/Issues"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Profile } from "../../Profile.js"
import * as file from "./file.js"

const decode = ParseResult.decode(Schema.parseJson(Profile), { errors: "all" })

export const read = file.use("--profile", (text) =>
  Effect.mapError(decode(text), (issue) => Issues.print(Issues.fromParseIssue(issue)))
)
