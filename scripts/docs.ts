// Checks the documentation in the sources: every public export has a description and the tags @since and
// @category, and every example compiles.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { exampleIn } from "./docstring.js"
import { modulesOf, published } from "./packages.js"

const root = new URL("../", import.meta.url)
// Inside this package, so that examples can import all other packages.
const out = new URL("scripts/.examples/", root)
const problems: Array<string> = []

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })

const documented = /\/\*\*(?<doc>(?:(?!\*\/)[\s\S])*)\*\/\n(?<line>export .*)/g
const exported = /^export (?!\*|type \{|\{)/gm
const described = /^\s*\* [^@|]/

/** The type of a schema or a class needs no description of its own. */
const isTypeOf = (line: string, text: string): boolean => {
  const [, name] = /^export (?:type|interface) (\w+)/.exec(line) ?? []
  return name !== undefined && new RegExp(`^export (?:const|class) ${name}\\b`, "m").test(text)
}

let examples = 0
for (const name of published) {
  const src = new URL(`packages/${name}/src/`, root)
  for (const module of modulesOf(name)) {
    const file = `${module}.ts`
    const text = readFileSync(new URL(file, src), "utf8")
    const where = `packages/${name}/src/${file}`
    const found = [...text.matchAll(documented)]
    const exports = [...text.matchAll(exported)].length
    if (found.length !== exports) {
      problems.push(`${where}: ${exports - found.length} of ${exports} exports have no doc comment`)
    }
    for (const { groups } of found) {
      const { doc = "", line = "" } = groups ?? {}
      if (!described.test(doc) && !isTypeOf(line, text)) {
        problems.push(`${where}: no description on: ${line}`)
      }
      for (const tag of ["@since", "@category"]) {
        if (!doc.includes(tag)) problems.push(`${where}: no ${tag} on: ${line}`)
      }
      const code = exampleIn(doc)
      if (code === undefined) continue
      examples++
      writeFileSync(new URL(`${name}.${module}.${examples}.ts`, out), `${code}\n`)
    }
  }
}

writeFileSync(
  new URL("tsconfig.json", out),
  JSON.stringify({
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      composite: false,
      declaration: false,
      declarationMap: false,
      incremental: false,
      noEmit: true,
      noUnusedLocals: false,
      types: ["node"]
    },
    include: ["*.ts"]
  })
)
const compiled = spawnSync("npx", ["tsc", "-p", fileURLToPath(out)], {
  cwd: fileURLToPath(root),
  encoding: "utf8"
})
if (compiled.status !== 0) problems.push(compiled.stdout)

for (const problem of problems) console.error(problem)
console.log(`${examples} examples compiled`)
process.exitCode = problems.length === 0 ? 0 : 1
