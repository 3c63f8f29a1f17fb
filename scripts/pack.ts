// Packs every package, and installs each tarball with its peers into an empty project, in which a program
// that imports all modules must compile and run. Modules that require an optional peer are tested after
// that peer is installed. Client packages must bundle without Node's modules.
//
// With --out DIR, only writes the tarballs there and prints the command that installs them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { apart, chosen, isInIndex, manifestIn, modulesOf, published } from "./packages.js"
import { bundle, compile, everything, install, packInto, report, run } from "./project.js"
import type { Tarballs } from "./project.js"

/** The sandbox is a server. All other packages are clients, which must run wherever `fetch` does. */
const onNodeOnly: ReadonlySet<string> = new Set(["sandbox"])

/** Node's types, which the types of undici require. */
const nodeTypes = {
  "@types/node": manifestIn("node_modules", "@types", "node").version ?? "*"
}

/** Imports the package by its index and by module, and compares the exports. */
const program = (name: string, modules: ReadonlyArray<string>): string => `
import * as All from "${name}"
${modules.map((module) => `import * as ${module} from "${name}/${module}"`).join("\n")}

const modules = { ${modules.join(", ")} }
for (const [name, module] of Object.entries(modules)) {
  const whole: object = All[name as keyof typeof modules]
  if (Object.keys(whole).join() !== Object.keys(module).join()) throw new Error(name)
}
if (Object.keys(All).sort().join() !== Object.keys(modules).sort().join()) throw new Error("index")
const hidden: string = "${name}/internal/anything"
const reached = await import(hidden).then(() => true, (error: { code?: string }) => error.code)
if (reached !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(\`internal: \${reached}\`)
console.log("${name}: " + Object.keys(All).length + " modules")
`

/** Checks that modules that require an optional peer cannot be imported without it. */
const without = (paths: ReadonlyArray<string>): string => `
for (const path of ${JSON.stringify(paths)}) {
  const code = await import(path).then(() => "none", (error: { code?: string }) => error.code)
  if (code !== "ERR_MODULE_NOT_FOUND") throw new Error(\`\${path} without its peer: \${code}\`)
}
`

const withPeers = (paths: ReadonlyArray<string>): string => `
${paths.map((path, i) => `import * as module${i} from "${path}"`).join("\n")}

for (const module of [${paths.map((_, i) => `module${i}`).join(", ")}]) {
  if (Object.keys(module).length === 0) throw new Error("no exports")
}
console.log("${paths.join(", ")}")
`

/** Opens the page of the sandbox, from the library and from the bundled command. */
const page = `
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"

const open = async (url) => {
  for (const file of ["/", "/page/main.js", "/page/page.css"]) {
    const { ok } = await fetch(new URL(file, url))
    if (!ok) throw new Error(file + " is missing")
  }
}
await Effect.runPromise(
  Effect.scoped(Effect.flatMap(SandboxServer.make(), ({ baseUrl }) => Effect.promise(() => open(baseUrl))))
)
const bin = "node_modules/.bin/manilla-sandbox"
const command = spawn(process.execPath, [bin, "--port", "0", "--auth-port", "0"])
let printed = ""
for await (const chunk of command.stdout) {
  printed += chunk
  const [, url] = /^Page: +(\\S+)$/m.exec(printed) ?? []
  if (url === undefined) continue
  await open(url)
  break
}
command.kill()
console.log("the page of the sandbox")
process.exit()
`

/** Compiles and runs a program in a project. */
const attempt = (project: string, source: string, types: ReadonlyArray<string> = []): void => {
  writeFileSync(join(project, "main.ts"), source)
  compile(project, ["main.ts"], { types })
  process.stdout.write(run(project, "node", "main.js"))
}

/** The imports of Node's modules in a bundle for other runtimes. */
const nodeImportsOf = async (project: string, paths: ReadonlyArray<string>) => {
  const exports = paths.map((path) => `export * from ${JSON.stringify(path)}`)
  const { metafile } = await bundle(project, exports.join("\n"))
  return Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => external).map(({ path }) => `${file} imports ${path}`)
  )
}

/** Installs a package with its peers only, and compiles, runs and bundles a program that uses it. */
const tryAlone = async (work: string, tarballs: Tarballs, folder: string) => {
  const {
    bin = {},
    name,
    peerDependencies = {},
    peerDependenciesMeta = {}
  } = manifestIn("packages", folder)
  const isOptional = (peer: string) => peerDependenciesMeta[peer]?.optional === true
  const peers = Object.entries(peerDependencies)
  const project = join(work, folder)
  const installWith = (wanted: (peer: string) => boolean, more: Record<string, string> = {}) => {
    const { [name]: own, ...others } = tarballs
    const dependencies = {
      [name]: own,
      ...Object.fromEntries(peers.filter(([peer]) => wanted(peer))),
      ...more
    }
    writeFileSync(
      join(project, "package.json"),
      // The dependencies are not published yet, so they are installed from their tarballs.
      JSON.stringify({ private: true, type: "module", dependencies, overrides: others })
    )
    install(project)
  }

  mkdirSync(project)
  const modules = modulesOf(folder)
  const tryCommands = () => {
    for (const command of Object.keys(bin)) run(project, "npx", "--no-install", command, "--help")
  }
  if (modules.length === 0) {
    installWith(() => true)
    tryCommands()
    return
  }
  const others = modules.filter(isInIndex)
  const pathsOf = (wanted: ReadonlySet<string>) =>
    modules.filter((module) => wanted.has(module)).map((module) => `${name}/${module}`)
  const needy = pathsOf(apart)
  const alternatives = pathsOf(chosen)

  installWith((peer) => !isOptional(peer))
  attempt(project, program(name, others) + without(needy))
  if (alternatives.length > 0) attempt(project, withPeers(alternatives))
  if (needy.length === 0) tryCommands()
  if (folder === "sandbox") {
    writeFileSync(join(project, "page.js"), page)
    process.stdout.write(run(project, "node", "page.js"))
  }
  if (!onNodeOnly.has(folder)) {
    const wanted = await nodeImportsOf(project, [
      name,
      ...others.map((module) => `${name}/${module}`)
    ])
    if (wanted.length > 0) throw new Error(`${name} needs Node:\n${wanted.join("\n")}`)
  }
  if (needy.length > 0) {
    installWith(() => true, nodeTypes)
    attempt(project, withPeers(needy), ["node"])
    tryCommands()
  }
}

const { out } = parseArgs({ options: { out: { type: "string" } } }).values
if (out === undefined) {
  const work = mkdtempSync(join(tmpdir(), "manilla-pack-"))
  const tarballs = packInto(work)
  for (const [i, folder] of published.entries()) {
    report(`Installing and running ${folder}, ${i + 1} of ${published.length}`)
    await tryAlone(work, tarballs, folder)
  }
  rmSync(work, { recursive: true, force: true })
} else {
  const directory = resolve(out)
  mkdirSync(directory, { recursive: true })
  const line = everything(packInto(directory)).map((wanted) =>
    wanted.includes(" ") ? `"${wanted}"` : wanted
  )
  console.log(`npm install ${line.join(" ")}`)
}
