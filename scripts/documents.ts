import { readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "./packages.js"

const files = readdirSync(join(root, "docs"), { withFileTypes: true }).flatMap((entry) => {
  const path = join("docs", entry.name)
  if (!entry.isDirectory()) return [path]
  // The links in node_modules form cycles, and the files of the others are generated.
  if (/^(api|node_modules|\..*)$/.test(entry.name)) return []
  const inner = readdirSync(join(root, path), { encoding: "utf8", recursive: true })
  return inner.map((file) => join(path, file))
})

/** The written documents in the folder `docs`. */
export const documents: ReadonlyArray<string> = files
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.replace(/\\/g, "/"))
