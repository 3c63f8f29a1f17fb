/** The command as it is shipped. */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Bundles the commands as `npm run pack` does. */
export const bundle = Effect.sync(() =>
  execFileSync(join(root, "node_modules/.bin/tsx"), [join(root, "scripts/command.ts")], {
    cwd: root
  })
)

export const program = join(root, "packages/cli/dist/manilla.js")
