/** The command as it is shipped starts fast: it loads the network and the database only when it uses them. */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundle, program } from "./utils/command.js"

/** The text of a module and of all that it imports at once, which `import()` does not. */
const atOnce = (path: string, seen: Set<string> = new Set()): string => {
  if (seen.has(path)) return ""
  seen.add(path)
  const text = readFileSync(path, "utf8")
  const paths = Array.from(text.matchAll(/^(?:import|\} from) ?"(\.{1,2}\/[^"]+)"/gm), ([, to]) =>
    join(dirname(path), to ?? "")
  )
  return [text, ...paths.map((path) => atOnce(path, seen))].join("\n")
}

Test.effect("the command loads undici, the database and the parser of CSV later", function* () {
  yield* bundle
  const text = atOnce(program)
  assert.include(text, "payroll")
  assert.include(text, "@effect/cli/Command")
  for (const later of ["node_modules/undici/", "node_modules/csv-parse/", '"@libsql/client"']) {
    assert.notInclude(text, later)
  }
})
