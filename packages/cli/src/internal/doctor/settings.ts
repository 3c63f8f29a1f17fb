/** The settings, before anything is sent. */
import type * as Manilla from "@manilla/token/Manilla"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as service from "../service.js"
import { fail, type Finding, ok, warn } from "./finding.js"

export const names = [
  "MANILLA_BASE_URL",
  "MANILLA_AUTH_URL",
  "MANILLA_CLIENT_ID",
  "MANILLA_CLIENT_SECRET",
  "MANILLA_ENVIRONMENT",
  "MANILLA_PAGE_PARAMETER"
]

/** Characters that were most likely not meant, and came from a file or a shell. */
const strayIn = (value: string): string | undefined => {
  if (/[\r\n]/.test(value)) return "a line break"
  if (value !== value.trim()) return "spaces around it"
  if (/^["'`“‘«].*["'`”’»]$/.test(value)) return "quotes around it"
  return /[\p{Cc}\p{Cf}]/u.test(value) ? "a character that is not visible" : undefined
}

/** A finding for each setting with such characters. Its value may be a secret, and is not shown. */
export const characters = Config.all(
  names.map((name) => Config.withDefault(Config.string(name), ""))
).pipe(
  Effect.orElseSucceed(() => names.map(() => "")),
  Effect.map((values) =>
    Arr.zip(names, values).flatMap(([name, value]) => {
      const stray = strayIn(value)
      const remedy = "Set it again without, if this was not meant."
      return stray === undefined ? [] : [warn("settings", `${name} has ${stray}.`, remedy)]
    })
  )
)

/** A finding for each setting that is missing or wrong. */
export const issues = (error: ConfigError.ConfigError): ReadonlyArray<Finding> =>
  service.settingIssues(error).map((issue) => {
    const remedy = issue.endsWith("is not set") ? "Set this variable." : "Correct this variable."
    return fail("settings", `${issue}.`, remedy)
  })

export const optional = ({ gateway, token }: Manilla.Options): ReadonlyArray<Finding> => [
  token.environment === undefined
    ? warn(
        "settings",
        "MANILLA_ENVIRONMENT is not set: credentials for real money would be used without a word.",
        "Set it to SANDBOX or LIVE."
      )
    : ok("settings", `Only credentials for ${token.environment} are used.`),
  gateway.pageParameter === undefined
    ? warn(
        "settings",
        "MANILLA_PAGE_PARAMETER is not set: only the first page of a list can be read.",
        "Ask the service for its query parameter. `manilla probe` finds it in a sandbox."
      )
    : ok("settings", `The query parameter ${gateway.pageParameter} selects a page.`)
]
