/**
 * The files of the folder `page` of this package, for a sandbox on sockets, and its version.
 */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The package is found by its name, because the bundled command is in another folder than this module. */
const manifest = () => createRequire(import.meta.url).resolve("@manilla/sandbox/package.json")

export const pathOf = (name: string) => join(dirname(manifest()), "page", name)

export const read = (name: string) => Effect.tryPromise(() => readFile(pathOf(name), "utf8"))

export const version = Effect.tryPromise(async (): Promise<string> => {
  const { version }: { readonly version: string } = JSON.parse(await readFile(manifest(), "utf8"))
  return version
})
