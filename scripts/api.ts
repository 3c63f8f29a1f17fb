// Writes packages/*/api.txt: the public declarations of each package as the compiler emits them, without comments.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { emit } from "./generated.js"
import { libraries, modulesOf, root } from "./packages.js"

const declarations = (folder: string, module: string): string => {
  const text = readFileSync(join(root, "packages", folder, "dist", `${module}.d.ts`), "utf8")
  const code = text.replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "").replace(/^(import|\/\/#) .*\n?/gm, "")
  return `--- ${module}\n\n${code.replace(/^export \{\};\n/gm, "").trim()}\n`
}

const folders = libraries.map((folder) => `packages/${folder}`)
execFileSync("npx", ["tsc", "-b", ...folders], { cwd: root, stdio: "inherit" })
for (const folder of libraries) {
  const modules = modulesOf(folder).map((module) => declarations(folder, module))
  emit(`packages/${folder}/api.txt`, modules.join("\n"))
}
