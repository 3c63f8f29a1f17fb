// Updates the code blocks in READMEs. A block below `<!-- program: FILE -->` contains that file from its
// first import to its end. A block below `<!-- example: FILE -->` contains the first example in the
// file's docstrings, which `npm run docs` compiles. With --check, fails if a block is stale.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { exampleIn } from "./docstring.js"

const root = new URL("../", import.meta.url)
const files = [
  "README.md",
  ...readdirSync(new URL("packages/", root)).map((name) => `packages/${name}/README.md`)
].filter((file) => existsSync(new URL(file, root)))

const block = /<!-- (program|example): (\S+) -->\n\n```ts\n[\s\S]*?```/g

const program = (source: string): string => source.slice(source.indexOf("import "))

for (const file of files) {
  const url = new URL(file, root)
  const text = readFileSync(url, "utf8")
  const current = text.replace(block, (_, kind: string, path: string) => {
    const source = readFileSync(new URL(path, root), "utf8")
    const code = kind === "program" ? program(source).trim() : exampleIn(source)
    if (code === undefined) throw new Error(`${path} has no example`)
    return `<!-- ${kind}: ${path} -->\n\n\`\`\`ts\n${code}\n\`\`\``
  })
  if (current === text) continue
  if (process.argv.includes("--check")) {
    console.error(`${file} is stale: run \`npm run readme\``)
    process.exitCode = 1
  } else {
    writeFileSync(url, current)
  }
}
