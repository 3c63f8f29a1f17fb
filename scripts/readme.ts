// Updates the marked blocks of documents. `<!-- KIND: SUBJECT -->` stands above a block of code, a list or a
// table, and selects its content from the kinds below. With --check, fails if a block is stale. In the pages
// that teach, each block of TypeScript has a marker, so that CI compiles it.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { documents as written } from "./documents.js"
import { failures } from "./failures.js"
import { emit } from "./generated.js"
import * as declared from "./operations.js"
import { exactIn, foldersIn, isOwn, manifestIn, peersOf, withNeeded } from "./packages.js"

const root = new URL("../", import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), "utf8")

const packages = readdirSync(new URL("packages/", root)).map((name) => `packages/${name}`)
const documents = [
  "README.md",
  ...written,
  "packages/sandbox/docs/scenarios.md",
  ...packages.map((folder) => `${folder}/README.md`)
].filter((file) => existsSync(new URL(file, root)))

const block = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

const npmInstall = (names: ReadonlyArray<string>, ...options: ReadonlyArray<string>): string =>
  block("sh", ["npm install", ...options, ...new Set(names)].join(" "))

const importedBy = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/ from "(?!node:)((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = ""]) => name)

const example = (path: string): string => {
  const [, lines] = /@example\n([\s\S]*?)\n \* @/.exec(read(path)) ?? []
  if (lines === undefined) throw new Error(`${path} has no example`)
  return block("ts", lines.replace(/^ \* ?/gm, "").trim())
}

/** The lines of a file between `// #region NAME` and `// #endregion`. */
const region = (words: string): string => {
  const [path = "", name = ""] = words.split(" ")
  const lines = new RegExp(`^// #region ${name}\\n([\\s\\S]*?)^// #endregion`, "m").exec(read(path))
  if (lines === null) throw new Error(`${path} has no region ${name}`)
  return block("ts", (lines[1] ?? "").trim())
}

/** Installs Manilla's packages, which have one version, from their tarballs, and all others by their exact versions. */
const installed = (
  tarballs: string,
  names: ReadonlyArray<string>,
  exact: (name: string) => string,
  peers: ReadonlyArray<string>,
  ...options: ReadonlyArray<string>
): string => {
  const folders = withNeeded(foldersIn(names))
  const own = folders.length === 1 ? folders[0] : `{${folders.join(",")}}`
  const others = names.filter((name) => !isOwn(name)).map(exact)
  const file = `${tarballs}/manilla-${own}-${manifestIn("packages", "core").version}.tgz`
  return npmInstall([...others, ...peers, file], ...options)
}

/** Packages, and all other imports of the programs in a README. */
const install = (words: string, document: string): string => {
  const paths = words.split(" ")
  const names = [...paths.map((path) => manifestIn(path).name), ...importedBy(document)]
  const options = words === "packages/sandbox" ? ["--save-dev"] : []
  const peers = paths.flatMap((path) => peersOf(basename(path)))
  return installed("DIR", names, exactIn(paths[0] ?? ""), peers, ...options)
}

/** The peers of a package. An optional one counts if the program names it, as `UndiciClient` does `undici`. */
const peersFor = (program: string) => (folder: string) => {
  const { peerDependenciesMeta = {} } = manifestIn("packages", folder)
  const optional = Object.keys(peerDependenciesMeta).map(exactIn(`packages/${folder}`))
  const isNamed = (peer: string) => program.toLowerCase().includes(peer.replace(/@[^@]*$/, ""))
  return peersOf(folder).filter((peer) => !optional.includes(peer) || isNamed(peer))
}

/** The imports of programs, and their peers. */
const minimum = (words: string): string => {
  const paths = words.split(" ").filter((word) => word.endsWith(".ts"))
  const [path = ""] = paths
  const [tarballs = "DIR"] = words.split(" ").slice(paths.length)
  const program = paths.map(read).join("")
  const names = importedBy(program)
  const peers = foldersIn(names).flatMap(peersFor(program))
  return installed(tarballs, names, exactIn(dirname(dirname(path))), peers)
}

const kinds: Readonly<Record<string, (subject: string, document: string) => string>> = {
  /**
   * A file without the comment at its head, and without the marks of regions. A reader saves the files of a page side by
   * side.
   */
  program: (path) =>
    block(
      "ts",
      read(path)
        .replace(/^(\/\*\*.*?\*\/|\/\/[^\n]*)\n/s, "")
        .replace(/^\/\/ #(end)?region.*\n/gm, "")
        .replace(/ from "\.\.\/(?:\w+\/)?/g, ' from "./')
        .trim()
    ),
  /** The first example in the docstrings of a file. */
  example,
  region,
  /** The command that installs a package, and the imports of the programs in its README. */
  install,
  /** The command that installs the imports of programs, from the tarballs in a folder. */
  minimum,
  /** The command that installs dependencies of a folder. */
  exact: (words) => {
    const [folder = "", ...names] = words.split(" ")
    return npmInstall(names.map(exactIn(folder)))
  },
  errors: declared.errors,
  operations: declared.operations,
  retries: declared.retryRule,
  defaults: declared.defaults,
  checks: declared.checks,
  magic: declared.magicFields,
  scenarios: declared.scenarios,
  failures
}

const marked = /<!-- (\w+): (.+) -->\n\n(?:```[\s\S]*?\n```|(?:[-|].*(?:\n[-|].*)*)?)/g

const teaches = /^docs\/(start|install|errors|fr\/|guides\/|concepts\/)/

for (const document of documents) {
  const text = read(document)
  const loose = text.replace(marked, "").match(/^ *```ts/m)
  if (teaches.test(document) && loose !== null) {
    console.error(`${document} has a block of TypeScript without a marker`)
    process.exitCode = 1
  }
  const current = text.replace(marked, (old, kind: string, subject: string) => {
    const make = kinds[kind]
    return make === undefined ? old : `<!-- ${kind}: ${subject} -->\n\n${make(subject, text)}`
  })
  emit(document, current)
}
