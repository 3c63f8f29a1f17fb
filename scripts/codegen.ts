// Generates packages/*/src/index.ts, which exports every PascalCase module of the package as a namespace.
// The module itself has the doc comment. Also checks what docgen does not: every export has a category.
import { readFileSync } from "node:fs"
import { emit } from "./generated.js"
import { bundled, isInIndex, libraries, modulesOf, root } from "./packages.js"

const expect = (holds: boolean, problem: string): void => {
  if (holds) return
  console.error(problem)
  process.exitCode = 1
}

const line = (src: string, name: string): string => {
  const file = `${src}/${name}.ts`
  const text = readFileSync(`${root}${file}`, "utf8")
  expect(/^\/\*\*[\s\S]*?\*\//.test(text), `${file}: no leading /** ... */ comment`)
  for (const [doc, exported] of text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(export .*)/g)) {
    expect(doc.includes("@category"), `${file}: no @category on: ${exported}`)
  }
  return `export * as ${name} from "./${name}.js"\n`
}

// The index of the promises has modules of other packages, and is written by hand.
for (const name of libraries.filter((it) => it !== bundled)) {
  const src = `packages/${name}/src`
  const lines = modulesOf(name)
    .filter(isInIndex)
    .map((module) => line(src, module))
  emit(`${src}/index.ts`, lines.join(""))
}
