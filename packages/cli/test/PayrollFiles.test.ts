/**
 * Files of payrolls as spreadsheets and accountants write them, and what the command says of each: `payrolls.en.txt` and
 * `payrolls.fr.txt`, which a run with `UPDATE=1` writes anew. (Snapshots of Vitest need isolated files.)
 */
import { afterAll, assert, describe } from "@effect/vitest"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { manilla, test } from "./utils/manilla.js"

const folder = new URL("payrolls/", import.meta.url)
const all = readdirSync(folder)
const french = all.filter((name) => /^(amount|country|currency|header|phone|row)/.test(name))

describe.each([
  ["en", all],
  ["fr", french]
] as const)("the file of a payroll, in the language %s,", (language, names) => {
  const said = new URL(`payrolls.${language}.txt`, import.meta.url)
  const [, ...parts] = readFileSync(said, "utf8").split(/^=== (.+)\n/m)
  const expected = (name: string) => parts[parts.indexOf(name) + 1]
  const actual = new Map<string, string>()

  for (const name of names) {
    test(name, function* () {
      const file = fileURLToPath(new URL(name, folder))
      const args = ["payroll", file, "--period", "1", "--check", "--lang", language]
      const { code, err, out } = yield* manilla(args, {
        MANILLA_WALLET_ID: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
      })
      const text = `exit code ${code}\n${out}${err}`.replaceAll(file, name)
      actual.set(name, text)
      if (process.env["UPDATE"] === undefined) assert.strictEqual(text, expected(name))
    })
  }

  afterAll(() => {
    if (process.env["UPDATE"] === undefined) return
    writeFileSync(said, names.map((name) => `=== ${name}\n${actual.get(name) ?? ""}`).join(""))
  })
})
