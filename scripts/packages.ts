// The folders of the packages that users install; the private ones are the project's own.
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
