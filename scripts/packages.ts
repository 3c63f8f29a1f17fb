// The folders of the published packages, and their public modules.
import { readdirSync, readFileSync } from "node:fs"

interface Manifest {
  readonly private?: boolean
}

export const published: ReadonlyArray<string> = readdirSync(
  new URL("../packages/", import.meta.url)
).filter((name) => {
  const file = new URL(`../packages/${name}/package.json`, import.meta.url)
  const manifest: Manifest = JSON.parse(readFileSync(file, "utf8"))
  return manifest.private !== true
})

/** The public modules of a package: its files with PascalCase names. */
export const modulesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(`../packages/${folder}/src/`, import.meta.url))
    .filter((file) => /^[A-Z][A-Za-z0-9]*\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length))
    .sort()

/** Modules that are not in the index, because they require an optional peer dependency. */
export const apart: ReadonlySet<string> = new Set(["UndiciClient"])
