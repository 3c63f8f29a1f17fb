// Packs every package, and installs each tarball with its peers into an empty project, in which a program
// that imports all modules must compile and run. Modules that require an optional peer are tested after
// that peer is installed. Client packages must bundle without Node's modules.
import { build } from "esbuild"
import type { ImportKind, Plugin } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { apart, modulesOf, published } from "./packages.js"

interface Manifest {
  readonly name: string
  readonly version?: string
  readonly packageManager?: string
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
  readonly bin?: Record<string, string>
}

const root = fileURLToPath(new URL("../", import.meta.url))
const read = (file: string): Manifest => JSON.parse(readFileSync(join(root, file), "utf8"))
const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const work = mkdtempSync(join(tmpdir(), "manilla-pack-"))
const pnpm = read("package.json").packageManager ?? "pnpm"

/** The sandbox is a server. All other packages are clients, which must run wherever `fetch` does. */
const onNodeOnly: ReadonlySet<string> = new Set(["sandbox"])

run(root, "npx", "tsc", "-b", ...published.map((folder) => `packages/${folder}`))

const tarballs: Record<string, string> = {}
for (const folder of published) {
  const { name } = read(`packages/${folder}/package.json`)
  const packed = run(
    join(root, "packages", folder),
    "npx",
    "--yes",
    pnpm,
    "pack",
    "--json",
    "--pack-destination",
    work
  )
  tarballs[name] = `file:${(JSON.parse(packed) as { readonly filename: string }).filename}`
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

const compilerOptions = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false
}

/** Node's types, which the types of undici require. */
const nodeTypes = { "@types/node": read("node_modules/@types/node/package.json").version ?? "*" }

/** Compiles and runs a program in a project. */
const attempt = (project: string, source: string, types: ReadonlyArray<string> = []): void => {
  writeFileSync(join(project, "main.ts"), source)
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types }, files: ["main.ts"] })
  )
  run(root, "npx", "tsc", "-p", project)
  process.stdout.write(run(project, "node", "main.js"))
}

/** The imports of Node's modules in a bundle for other runtimes. */
const nodeImportsOf = async (project: string, paths: ReadonlyArray<string>) => {
  const wanted: Array<string> = []
  const kinds: ReadonlySet<ImportKind> = new Set([
    "import-statement",
    "require-call",
    "dynamic-import"
  ])
  const watch: Plugin = {
    name: "node-builtins",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ importer, kind, path }) => {
        if (!kinds.has(kind) || !(path.startsWith("node:") || isBuiltin(path))) return undefined
        wanted.push(`${relative(project, importer)} imports ${path}`)
        return { path, external: true }
      })
  }
  await build({
    stdin: {
      contents: paths.map((path) => `export * from ${JSON.stringify(path)}`).join("\n"),
      resolveDir: project
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    plugins: [watch],
    logLevel: "error"
  })
  return wanted
}

for (const folder of published) {
  const {
    bin = {},
    name,
    peerDependencies = {},
    peerDependenciesMeta = {}
  } = read(`packages/${folder}/package.json`)
  const isOptional = (peer: string) => peerDependenciesMeta[peer]?.optional === true
  const peers = Object.entries(peerDependencies)
  const project = join(work, folder)
  const install = (wanted: (peer: string) => boolean, more: Record<string, string> = {}): void => {
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
    run(project, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
  }

  mkdirSync(project)
  const modules = modulesOf(folder)
  const others = modules.filter((module) => !apart.has(module))
  const needy = modules.filter((module) => apart.has(module)).map((module) => `${name}/${module}`)

  install((peer) => !isOptional(peer))
  attempt(project, program(name, others) + without(needy))
  for (const command of Object.keys(bin)) run(project, "npx", "--no-install", command, "--help")
  if (!onNodeOnly.has(folder)) {
    const wanted = await nodeImportsOf(project, [
      name,
      ...others.map((module) => `${name}/${module}`)
    ])
    if (wanted.length > 0) throw new Error(`${name} needs Node:\n${wanted.join("\n")}`)
  }
  if (needy.length > 0) {
    install(() => true, nodeTypes)
    attempt(project, withPeers(needy), ["node"])
  }
}

rmSync(work, { recursive: true, force: true })
