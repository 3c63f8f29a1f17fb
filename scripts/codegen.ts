// Generates packages/*/src/index.ts, which exports every PascalCase module of the package as a namespace.
// The module itself has the doc comment. With --check, fails and names each stale index. Also checks what docgen
// does not: every export has a category.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { isInIndex, modulesOf, published } from "./packages.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const check = process.argv.includes("--check")
const problems: Array<string> = []

const line = (src: string, name: string): string => {
  const file = join(src, `${name}.ts`)
  const text = readFileSync(file, "utf8")
  if (!/^\/\*\*[\s\S]*?\*\//.test(text)) {
    problems.push(`${relative(root, file)}: no leading /** ... */ comment`)
  }
  for (const [doc, exported] of text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(export .*)/g)) {
    if (!doc.includes("@category")) {
      problems.push(`${relative(root, file)}: no @category on: ${exported}`)
    }
  }
  return `export * as ${name} from "./${name}.js"\n`
}

for (const name of published.filter((name) => modulesOf(name).length > 0)) {
  const src = join(root, "packages", name, "src")
  if (!existsSync(src)) continue
  const index = join(src, "index.ts")
  const content = modulesOf(name)
    .filter(isInIndex)
    .map((module) => line(src, module))
    .join("")
  if (existsSync(index) && readFileSync(index, "utf8") === content) continue
  if (check) problems.push(`${relative(root, index)}: stale, run \`npm run generate\``)
  else writeFileSync(index, content)
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
