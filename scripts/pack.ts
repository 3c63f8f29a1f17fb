// Installs the tarballs of all packages with their peers into an empty project: a program that imports every
// module compiles and runs there, and so do the commands. A module imports only what its package declares, and
// a client bundles without Node's modules. The starters compile, and pass their tests, in empty folders. Then
// checks the tarballs themselves.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { build } from "esbuild"
import { exec } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import * as sandbox from "../packages/sandbox/prove/utils/command.js"
import { runCommand } from "./cli.js"
import {
  apart,
  bundled,
  exactIn,
  isInIndex,
  libraries,
  manifestIn,
  modulesOf,
  published,
  root,
  tarballOf
} from "./packages.js"
import { bundle, compile, makeProject, packInto, report, run } from "./project.js"
import { copy, starters } from "./starters.js"
import { check } from "./tarballs.js"

interface Module {
  readonly folder: string
  readonly module: string
  /** The name of its package. */
  readonly name: string
}

const modules: ReadonlyArray<Module> = published
  .filter((folder) => folder !== bundled)
  .flatMap((folder) =>
    modulesOf(folder).map((module) => ({
      folder,
      module,
      name: manifestIn("packages", folder).name
    }))
  )

const pathsOf = (all: ReadonlyArray<Module>): ReadonlyArray<string> =>
  all.map(({ module, name }) => `${name}/${module}`)

/** Modules that need no optional peer, and the index of each package. */
const plain = [
  ...libraries.map((folder) => manifestIn("packages", folder).name),
  ...pathsOf(modules.filter(({ module }) => !apart.has(module)))
]
const needy = pathsOf(modules.filter(({ module }) => apart.has(module)))

const internal = libraries.map((folder) => `${manifestIn("packages", folder).name}/internal/any`)

/** A program that imports modules, and cannot import internal ones. */
const importing = (paths: ReadonlyArray<string>): string => `
${paths.map((path, i) => `import * as module${i} from "${path}"`).join("\n")}

const modules = [${paths.map((_, i) => `module${i}`).join(", ")}]
for (const module of modules) if (Object.keys(module).length === 0) throw new Error("no exports")
for (const path of ${JSON.stringify(internal)}) {
  const { code } = await import(path).catch((error: { code: string }) => error)
  if (code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(\`\${path}: \${code}\`)
}
console.log(modules.length + " modules")
`

/** Opens the page of the sandbox, which its command serves, and lets it read YAML. */
const openPage = async (project: string): Promise<void> => {
  const initial = join(project, "initial.yaml")
  writeFileSync(initial, "wallets: [{ currency: XOF, balance: 1000.0000 }]")
  const command = `${project}/node_modules/.bin/manilla-sandbox`
  const { origin, stop } = await sandbox.start(["--initial", initial], [command])
  for (const file of ["/", "/page/main.js", "/page/preact.js", "/page/page.css"]) {
    const { ok } = await fetch(new URL(file, origin))
    if (!ok) throw new Error(`${file} is missing`)
  }
  await stop()
}

/** Imports of modules that their package does not declare, or declares only as an optional peer. */
const undeclared = async (project: string, folder: string): Promise<ReadonlyArray<string>> => {
  const manifest = manifestIn("packages", folder)
  const { dependencies = {}, name, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const entries = modulesOf(folder).filter((module) => !apart.has(module))
  const { metafile } = await build({
    entryPoints: entries.map((module) => join(project, `node_modules/${name}/dist/${module}.js`)),
    outdir: project,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false
  })
  return Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !path.startsWith("node:"))
    .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path)
    .filter((one) => !(one in dependencies || one in peerDependencies) || peerDependenciesMeta[one])
    .map((one) => `${name} imports ${one}, which it does not declare as required`)
}

/** The imports of Node's modules in a bundle of all clients. The sandbox is a server. */
const nodeImports = async (project: string): Promise<ReadonlyArray<string>> => {
  const clients = modules.filter(({ folder, module }) => folder !== "sandbox" && isInIndex(module))
  const exports = pathsOf(clients).map((path) => `export * from ${JSON.stringify(path)}`)
  const { metafile } = await bundle(project, exports.join("\n"))
  return Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => external).map(({ path }) => `${file} imports ${path}`)
  )
}

const tryAll = async (): Promise<void> => {
  // The types of undici need those of Node.
  const project = makeProject(exactIn(".")("@types/node"))
  const attempt = (file: string, source: string, types: ReadonlyArray<string>) => {
    // The types of Restate's SDK do not keep to `exactOptionalPropertyTypes`.
    const skipLibCheck = source.includes("/restate")
    compile(project, { [`${file}.ts`]: source }, { types, skipLibCheck })
    report(run(project, "node", `${file}.js`).trim())
  }
  attempt("plain", importing(plain), [])
  attempt("needy", importing(needy.filter((path) => !path.endsWith("/restate"))), ["node"])
  attempt("restate", importing(needy.filter((path) => path.endsWith("/restate"))), ["node"])
  for (const folder of published) {
    for (const command of Object.keys(manifestIn("packages", folder).bin ?? {})) {
      run(project, "npx", "--no-install", command, "--help")
    }
  }
  await openPage(project)
  await tryPromises(project)
  // They run beside the checks.
  const tried = Promise.all(starters.map((name) => tryStarter(name, project)))
  const problems = [
    ...(
      await Promise.all(
        libraries
          .filter((folder) => folder !== bundled)
          .map((folder) => undeclared(project, folder))
      )
    ).flat(),
    ...(await nodeImports(project)),
    ...(await check(project))
  ]
  await tried
  if (problems.length > 0) throw new Error(problems.join("\n"))
  console.log(`${published.length} packages`)
}

/** The first and the last TypeScript of each kind that compiles programs with the promises. */
const compilers = ["5.0.4", "5.4.5", "5.9.3", "6.0.3", "7.0.2"]

/** Installs the one file of the promises, beside Effect 4, in an empty folder: its programs compile and run there. */
const tryPromises = async (project: string): Promise<void> => {
  const target = mkdtempSync(join(tmpdir(), "manilla-promises-"))
  try {
    writeFileSync(join(target, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const quiet = ["--silent", "--no-audit", "--no-fund"]
    run(target, "npm", "install", ...quiet, join(project, tarballOf(bundled)))
    const installed = readdirSync(join(target, "node_modules")).filter((it) => !it.startsWith("."))
    if (installed.join() !== "@manilla") throw new Error(`the promises need ${installed.join()}`)
    const declarations = readFileSync(
      join(target, "node_modules/@manilla/promises/bundle/index.d.ts"),
      "utf8"
    )
    // Comments may show an import.
    if (/^ *import |^(?! *\/?\*).*import\("/m.test(declarations)) {
      throw new Error("the declarations import something")
    }
    run(target, "npm", "install", ...quiet, "effect@4")
    const sourceOf = (file: string) => readFileSync(join(root, file), "utf8")
    compile(target, { "main.ts": sourceOf("scripts/promisesUser.ts") })
    for (const version of compilers) {
      run(target, "npx", "--yes", "--package", `typescript@${version}`, "tsc", "--noEmit")
    }
    // The declarations of Effect 4 need a younger compiler than those of the promises.
    compile(
      target,
      { "effect.ts": sourceOf("examples/promises/Effect.ts") },
      { skipLibCheck: true }
    )
    writeFileSync(join(target, "main.cjs"), 'require("@manilla/promises").Promises.make')
    for (const file of ["main.js", "effect.js", "main.cjs"]) run(target, "node", file)
    report(`the promises compile with TypeScript ${compilers.join(", ")}, and run beside Effect 4`)
  } finally {
    rmSync(target, { recursive: true })
  }
}

/** Copies a starter into an empty folder, where it compiles and passes its tests. */
const tryStarter = async (name: string, project: string): Promise<void> => {
  const target = mkdtempSync(join(tmpdir(), `manilla-${name}-`))
  try {
    copy(name, target, project)
    const steps = "npm install --silent --no-audit --ignore-scripts && npm run check && npm test"
    const { stdout } = await promisify(exec)(steps, { cwd: target })
    report(`${name}: ${/Tests +\S+ passed.*/.exec(stdout)?.[0] ?? stdout}`)
  } finally {
    rmSync(target, { recursive: true })
  }
}

const keepIn = (out: string): void => {
  const directory = resolve(out)
  mkdirSync(directory, { recursive: true })
  const words = packInto(directory).map((word) => (word.includes(" ") ? `"${word}"` : word))
  console.log(`npm install ${words.join(" ")}`)
}

const out = Options.directory("out").pipe(
  Options.withDescription("only write the tarballs there, and print their install command"),
  Options.optional
)

runCommand(
  Command.make("npm run pack --", { out }, ({ out }) =>
    Option.match(out, {
      onNone: () => Effect.promise(tryAll),
      onSome: (directory) => Effect.sync(() => keepIn(directory))
    })
  )
)
