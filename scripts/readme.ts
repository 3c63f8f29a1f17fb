// Updates the code blocks in READMEs. The marker above a block selects its content:
//
// - `<!-- program: FILE -->`: the file, from its first import to its end
// - `<!-- example: FILE -->`: the first example in the file's docstrings, which `npm run check` compiles
// - `<!-- install: packages/NAME -->`: the command that installs the package, and all other imports of the
//   programs in its README
// - `<!-- minimum: FILE -->`: the command that installs what the program imports, with Manilla's tarballs
// - `<!-- exact: FOLDER NAME... -->`: the command that installs these dependencies of the folder
//
// Two markers select a list:
//
// - `<!-- needs: packages -->`: the peers of each package
// - `<!-- tags: Errors -->`: the errors of a call, with their fields
//
// With --check, fails if a block is stale.
import { Errors } from "@manilla/core"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { exampleIn } from "./docstring.js"
import { exactIn, manifestIn, peersOf, published } from "./packages.js"

const root = new URL("../", import.meta.url)
const files = [
  "README.md",
  "docs/durable.md",
  ...readdirSync(new URL("packages/", root)).map((name) => `packages/${name}/README.md`)
].filter((file) => existsSync(new URL(file, root)))

const program = (source: string): string => source.slice(source.indexOf("import "))

const withPrograms = (text: string): string =>
  text.replace(
    /<!-- (program|example): (\S+) -->\n\n```ts\n[\s\S]*?```/g,
    (_, kind: string, path: string) => {
      const source = readFileSync(new URL(path, root), "utf8")
      const code = kind === "program" ? program(source).trim() : exampleIn(source)
      if (code === undefined) throw new Error(`${path} has no example`)
      return `<!-- ${kind}: ${path} -->\n\n\`\`\`ts\n${code}\n\`\`\``
    }
  )

/** Used in tests only. */
const forTests: ReadonlySet<string> = new Set(["sandbox"])

const scope = "@manilla/"

const importedBy = (source: string): ReadonlyArray<string> => [
  ...new Set([...source.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = ""]) => name))
]

const installation = (folder: string, text: string): string => {
  const wanted = [manifestIn("packages", folder).name, ...importedBy(text)].map((name) =>
    name.startsWith(scope) ? name : exactIn(`packages/${folder}`)(name)
  )
  const command = forTests.has(folder) ? "npm install --save-dev" : "npm install"
  return [command, ...new Set([...wanted, ...peersOf(folder)])].join(" ")
}

/** The tarballs of the imported packages, which are their whole dependencies, and all other imports. */
const minimum = (path: string): ReadonlyArray<string> => {
  const imported = importedBy(readFileSync(new URL(path, root), "utf8"))
  const folders = imported
    .filter((name) => name.startsWith(scope))
    .map((name) => name.slice(scope.length))
  const others = imported
    .filter((name) => !name.startsWith(scope))
    .map(exactIn(path.slice(0, path.indexOf("/"))))
  const tarballs = folders.map((folder) => {
    const { version } = manifestIn("packages", folder)
    return `DIR/manilla-${folder}-${version}.tgz`
  })
  return [...new Set([...others, ...folders.flatMap(peersOf)]), ...tarballs]
}

const code = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/** The peers that every package has, and then those that a package has besides. */
const needs = (): ReadonlyArray<string> => {
  const peersIn = (folder: string) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestIn("packages", folder)
    return Object.keys(peerDependencies).map((name) => ({
      name,
      isOptional: peerDependenciesMeta[name]?.optional === true
    }))
  }
  const [first = "", ...rest] = published.filter((folder) => peersIn(folder).length > 0)
  const shared = peersIn(first)
    .map(({ name }) => name)
    .filter((name) => rest.every((folder) => peersIn(folder).some((peer) => peer.name === name)))
  const lines = [first, ...rest].flatMap((folder) => {
    const own = peersIn(folder).filter(({ name }) => !shared.includes(name))
    const parts = own.map(({ isOptional, name }) => `\`${name}\`${isOptional ? " (optional)" : ""}`)
    return parts.length === 0 ? [] : [`- \`${scope}${folder}\`: ${parts.join(", ")}`]
  })
  return [`- every package: ${code(shared)}`, ...lines]
}

type ErrorClass = (
  | typeof Errors.KeyedWriteError.members
  | typeof Errors.WriteError.members
  | typeof Errors.ReadError.members
)[number]

/** The tags of the errors, each with its fields that are not known. */
const tagged = (errors: ReadonlyArray<ErrorClass>, known: ReadonlyArray<string>): string =>
  errors
    .map((error) => {
      const own = Object.keys(error.fields).filter(
        (name) => name !== "_tag" && !known.includes(name)
      )
      return `\`${error._tag}\`${own.length === 0 ? "" : ` (${code(own)})`}`
    })
    .join(", ")

const tags = (): ReadonlyArray<string> => {
  const common = ["operation", "message"]
  const ofResponse = Object.keys(Errors.BadRequestError.fields).filter(
    (name) => name !== "_tag" && !common.includes(name)
  )
  const isResponse = ({ fields }: ErrorClass) => ofResponse.every((name) => name in fields)
  const keyed: ReadonlyArray<ErrorClass> = Errors.KeyedWriteError.members
  const unkeyed = Errors.WriteError.members.filter((error) => !keyed.includes(error))
  const writes = [...keyed, ...unkeyed]
  const names = new Set<string>(writes.map(({ _tag }) => _tag))
  const reads = Errors.ReadError.members.filter(({ _tag }) => !names.has(_tag))
  return [
    `- the service refused the request: ${tagged(writes.filter(isResponse), [...common, ...ofResponse])}. Each has ${code(ofResponse)}`,
    `- other errors of a write: ${tagged(
      writes.filter((error) => !isResponse(error)),
      common
    )}`,
    `- of a read, and the \`cause\` of an \`OutcomeUnknown\`: ${code(reads.map(({ _tag }) => _tag))}`
  ]
}

const withLists = (text: string): string =>
  text.replace(
    /<!-- (needs|tags): (\S+) -->\n\n(?:- .*\n)*/g,
    (_, kind: string, of: string) =>
      `<!-- ${kind}: ${of} -->\n\n${(kind === "needs" ? needs() : tags()).join("\n")}\n`
  )

const wanted = (names: ReadonlyArray<string>): string => `npm install ${names.join(" ")}`

const withInstallations = (text: string): string =>
  text.replace(
    /<!-- (install|minimum|exact): (\S+)(.*) -->\n\n```sh\n[\s\S]*?```/g,
    (_, kind: string, folder: string, names: string) => {
      const line =
        kind === "install"
          ? installation(basename(folder), text)
          : wanted(
              kind === "minimum" ? minimum(folder) : names.trim().split(" ").map(exactIn(folder))
            )
      return `<!-- ${kind}: ${folder}${names} -->\n\n\`\`\`sh\n${line}\n\`\`\``
    }
  )

for (const file of files) {
  const url = new URL(file, root)
  const text = readFileSync(url, "utf8")
  const current = withLists(withInstallations(withPrograms(text)))
  if (current === text) continue
  if (process.argv.includes("--check")) {
    console.error(`${file} has a stale block: run \`npm run generate\``)
    process.exitCode = 1
  } else {
    writeFileSync(url, current)
  }
}
