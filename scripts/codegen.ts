// Writes packages/*/src/index.ts: every PascalCase module of the package as a namespace, under
// its own leading doc comment. With --check, fails and names each index that is not current.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { published } from "./packages.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const check = process.argv.includes("--check")
const problems: Array<string> = []

const section = (src: string, file: string): string => {
  const doc = /^\/\*\*[\s\S]*?\*\//m.exec(readFileSync(join(src, file), "utf8"))?.[0]
  if (doc === undefined) {
    problems.push(`${relative(root, join(src, file))}: no leading /** ... */ comment`)
    return ""
  }
  const name = file.slice(0, -".ts".length)
  return `${doc}\nexport * as ${name} from "./${name}.js"\n`
}

for (const name of published) {
  const src = join(root, "packages", name, "src")
  if (!existsSync(src)) continue
  const index = join(src, "index.ts")
  const content = readdirSync(src)
    .filter((file) => /^[A-Z][A-Za-z0-9]*\.ts$/.test(file))
    .sort()
    .map((file) => section(src, file))
    .join("\n")
  if (existsSync(index) && readFileSync(index, "utf8") === content) continue
  if (check) problems.push(`${relative(root, index)}: stale, run \`npm run codegen\``)
  else writeFileSync(index, content)
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
