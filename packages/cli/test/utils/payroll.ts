/** Files of payrolls. */
import { phone } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const header = "employee,amount,currency,country,payment_method,phone"

export const good = (employee: string, amount = "1000") =>
  `${employee},${amount},XOF,BJ,mtn_momo,${phone}`

/** A folder, which is deleted with the scope. In a shell, its name has to be quoted. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla l'équipe-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A spreadsheet in a folder of its own. */
export const spreadsheet = (text: string | Buffer, name = "salaries-2026-11.csv") =>
  Effect.map(folder, (folder) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return { folder, file }
  })
