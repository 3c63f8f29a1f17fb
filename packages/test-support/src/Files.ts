import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The path of a new database, which is deleted with the scope. */
export const database = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-workflows-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
).pipe(Effect.map((directory) => join(directory, "workflows.db")))
