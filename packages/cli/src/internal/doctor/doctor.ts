/** All findings of the doctor, in order. */
import * as Manilla from "@manilla/token/Manilla"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { failed } from "../failure.js"
import * as network from "../network.js"
import * as output from "../output.js"
import { account } from "./account.js"
import * as settings from "./settings.js"
import { way } from "./way.js"

const findings = Effect.gen(function* () {
  const characters = yield* settings.characters
  const given = yield* Effect.either(
    Config.all({ options: Manilla.config, proxies: network.config })
  )
  if (given._tag === "Left") return [...characters, ...settings.issues(given.left)]
  const { options, proxies } = given.right
  const first = [
    ...characters,
    ...settings.optional(options),
    ...(yield* way("MANILLA_BASE_URL", new URL(options.gateway.baseUrl), proxies)),
    ...(yield* way("MANILLA_AUTH_URL", new URL(options.token.authUrl), proxies))
  ]
  const isBroken = first.some(({ level }) => level === "fail")
  return isBroken ? first : [...first, ...(yield* account(new URL(options.token.authUrl).host))]
})

/** Prints the findings. Fails if a check fails. */
export const doctor = (json: boolean) =>
  Effect.gen(function* () {
    const all = yield* findings
    for (const finding of all) {
      const { check, level, remedy = "", text } = finding
      const label = `${level.padEnd(4)}  ${check.padEnd(9)}  `
      const words = output.wrapped(label, `${text} ${remedy}`.trim())
      yield* Console.log(json ? JSON.stringify(finding) : words)
    }
    const failures = all.filter(({ level }) => level === "fail").length
    if (failures === 0) return
    return yield* failed(`${failures} of ${all.length} checks failed; each says what to do.`)
  })
