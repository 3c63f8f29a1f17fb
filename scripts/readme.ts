// Updates the code blocks in READMEs. The marker above a block selects its content:
//
// - `<!-- program: FILE -->`: the file, from its first import to its end
// - `<!-- example: FILE -->`: the first example in the file's docstrings, which `npm run docs` compiles
// - `<!-- install: packages/NAME -->`: the command that installs the package, and all other imports of the
//   programs in its README
// - `<!-- peers: packages -->`: the command that installs the peers of all packages
// - `<!-- exact: FOLDER NAME... -->`: the command that installs these dependencies of the folder
//
// With --check, fails if a block is stale.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { exampleIn } from "./docstring.js"
import { exactIn, manifestIn, peers, peersOf } from "./packages.js"

const root = new URL("../", import.meta.url)
const files = [
  "README.md",
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

const installation = (folder: string, text: string): string => {
  const imported = [...text.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = ""]) => name)
  const wanted = [manifestIn("packages", folder).name, ...imported].map((name) =>
    name.startsWith("@manilla/") ? name : exactIn(`packages/${folder}`)(name)
  )
  const command = forTests.has(folder) ? "npm install --save-dev" : "npm install"
  return [command, ...new Set([...wanted, ...peersOf(folder)])].join(" ")
}

const wanted = (names: ReadonlyArray<string>): string => `npm install ${names.join(" ")}`

const withInstallations = (text: string): string =>
  text.replace(
    /<!-- (install|peers|exact): (\S+)(.*) -->\n\n```sh\n[\s\S]*?```/g,
    (_, kind: string, folder: string, names: string) => {
      const line =
        kind === "install"
          ? installation(basename(folder), text)
          : wanted(kind === "peers" ? peers : names.trim().split(" ").map(exactIn(folder)))
      return `<!-- ${kind}: ${folder}${names} -->\n\n\`\`\`sh\n${line}\n\`\`\``
    }
  )

for (const file of files) {
  const url = new URL(file, root)
  const text = readFileSync(url, "utf8")
  const current = withInstallations(withPrograms(text))
  if (current === text) continue
  if (process.argv.includes("--check")) {
    console.error(`${file} has a stale block: run \`npm run readme\``)
    process.exitCode = 1
  } else {
    writeFileSync(url, current)
  }
}
