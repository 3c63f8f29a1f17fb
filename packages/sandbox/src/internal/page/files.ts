/**
 * The files of the folder `page` of this package, for a sandbox on sockets.
 */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** Found by the package's name, because the bundled command is in another folder than this module. */
const addressOf = (name: string) =>
  join(
    dirname(createRequire(import.meta.url).resolve("@manilla/sandbox/package.json")),
    "page",
    name
  )

export const read = (name: string) => Effect.tryPromise(() => readFile(addressOf(name), "utf8"))
