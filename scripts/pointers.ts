// Checks the references in the documents: linked files, named sources and tests, and named invariants of the
// simulation. Checks also what documents and comments say that the interface lacks.
import { ServiceApi } from "@manilla/service"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { contradicted } from "./claims.js"
import { documents as written } from "./documents.js"

const root = new URL("../", import.meta.url)
const isFile = (url: URL): boolean => existsSync(url) && statSync(url).isFile()
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

const documents = [
  ...readdirSync(root),
  ...readdirSync(new URL("packages/", root)).map((name) => `packages/${name}/README.md`),
  ...written
].filter((file) => file.endsWith(".md") && isFile(new URL(file, root)))

const simulation = "packages/simulation/src/"
const invariants = readdirSync(new URL(simulation, root), { encoding: "utf8", recursive: true })
  .filter((file) => file === "Simulation.ts" || file.startsWith("invariants/"))
  .map((file) => read(`${simulation}${file}`))
  .join("\n")

/** The files of the repository. A document may leave out the first folders, and `src`. */
const { stdout: tracked } = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
const files = tracked.split("\n").flatMap((file) => [`/${file}`, `/${file.replace("/src/", "/")}`])

const problems: Array<string> = []
let pointers = 0
const expect = (holds: boolean, document: string, target: string): void => {
  pointers++
  if (!holds) problems.push(`${document}: ${target} does not exist`)
}

for (const document of documents) {
  const text = read(document)
  for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
    // npm shows a package's README, and none of the files beside it.
    if (document.startsWith("packages/")) problems.push(`${document}: on npm there is no ${target}`)
    expect(existsSync(new URL(target, new URL(document, root))), document, target)
  }
  // `core/internal/call/retryLoop.ts`
  for (const [, file = ""] of text.matchAll(
    /`(\w[\w.-]*(?:\/[\w.-]+)+\.(?:[cm]?[jt]sx?|ya?ml|css|html))`/g
  )) {
    expect(
      files.some((path) => path.endsWith(`/${file}`)),
      document,
      file
    )
  }
  // `core/test/Retry.test.ts`, optionally followed by the title of a test.
  for (const [, file = "", title] of text.matchAll(/`([\w./-]+\.test\.ts)`(?:, "([^"]+)")?/g)) {
    const url = [file, `packages/${file}`].map((path) => new URL(path, root)).find(isFile)
    expect(url !== undefined, document, file)
    if (url === undefined || title === undefined) continue
    expect(readFileSync(url, "utf8").includes(`"${title}"`), document, `"${title}" in ${file}`)
  }
  for (const [, names = ""] of text.matchAll(/simulation: (`\w+`(?:(?:, | and )`\w+`)*)/g)) {
    for (const name of names.match(/\w+/g)?.filter((word) => word !== "and") ?? []) {
      expect(
        new RegExp(`^(export )?const ${name} = `, "m").test(invariants),
        document,
        `invariant ${name}`
      )
    }
  }
}

const isWritten = (file: string): boolean =>
  /\.(md|ts)$/.test(file) &&
  /^(README|docs|examples|packages)/.test(file) &&
  !/^docs\/decisions|CHANGELOG/.test(file) &&
  isFile(new URL(file, root))

problems.push(...contradicted(tracked.split("\n").filter(isWritten), read))

// The list in CONTRIBUTING.md has each file with a table of all writes, which a new write has to be added to.
const [, list = ""] = /## Add an operation\n([^]*?)\n## /.exec(read("CONTRIBUTING.md")) ?? []
for (const [, file = ""] of list.matchAll(/`(packages\/[\w./-]+\.(?:js|md|ts))`/g)) {
  expect(isFile(new URL(file, root)), "CONTRIBUTING.md", file)
}
const writes = [...ServiceApi.operations].filter(([, { replay }]) => replay._tag !== "Safe")
const hasTable = (file: string): boolean => {
  const text = read(file)
  return writes.every(([name]) => text.includes(`"${name}":`))
}
for (const file of tracked.split("\n").filter((file) => /^packages\/.*\.[jt]s$/.test(file))) {
  if (isFile(new URL(file, root)) && hasTable(file) && !list.includes(`\`${file}\``)) {
    problems.push(
      `CONTRIBUTING.md: "Add an operation" does not name ${file}, a table of all writes`
    )
  }
}

for (const problem of problems) console.error(problem)
console.log(`${pointers} references in ${documents.length} documents checked`)
process.exitCode = problems.length === 0 && pointers > 0 ? 0 : 1
