/** The version of the state changes with its rows: a data file or a snapshot of an earlier sandbox may be unreadable. */
import { assert, it } from "@effect/vitest"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as state from "../src/internal/store/state.js"

/**
 * If this fails, increase `version` in `store/state.ts`, unless the new rows can also be read from an earlier state, such as
 * after an optional member was added. Then write the new digest here.
 */
const known = { version: 4, rows: "dbf284afcec4137c" }

it("the rows are those of this version", () => {
  const tables: Readonly<Record<string, { readonly schema: Schema.Schema.AnyNoContext }>> =
    state.make()
  const rows = Record.toEntries(tables).map(
    ([name, { schema }]) => `${name}: ${String(Schema.encodedSchema(schema))}`
  )
  const digest = createHash("sha256").update(rows.join("\n")).digest("hex").slice(0, 16)
  assert.deepStrictEqual({ version: state.version, rows: digest }, known)
})
