// The packages that users install, by their folders, and what users import of them. The private ones
// are the project's own.
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

/** The modules of a package: its files that have a name in PascalCase. */
export const modulesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(`../packages/${folder}/src/`, import.meta.url))
    .filter((file) => /^[A-Z][A-Za-z0-9]*\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length))
    .sort()

/** Modules that the index leaves out: they need an optional peer, which the others do not. */
export const apart: ReadonlySet<string> = new Set(["UndiciClient"])
