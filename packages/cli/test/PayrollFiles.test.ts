/** Files of payrolls as spreadsheets and accountants write them, and what the command says of each. */
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { manilla, sandbox } from "./utils/manilla.js"

const folder = new URL("payrolls/", import.meta.url)

describe("the file of a payroll", () => {
  layer(sandbox())((it) => {
    const names = readdirSync(folder)
    const french = names.filter((name) => /^(amount|country|currency|header|phone|row)/.test(name))
    for (const [language, files] of [
      ["en", names],
      ["fr", french]
    ] as const) {
      for (const name of files) {
        it.effect(language === "en" ? name : `${name} in French`, () =>
          Effect.gen(function* () {
            const file = fileURLToPath(new URL(name, folder))
            const args = ["payroll", file, "--period", "1", "--check", "--lang", language]
            const { code, err, out } = yield* manilla(args, {
              MANILLA_WALLET_ID: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
            })
            expect(`exit code ${code}\n${out}${err}`.replaceAll(file, name)).toMatchSnapshot()
          })
        )
      }
    }
  })
})
