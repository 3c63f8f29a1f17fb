// Installs the packages as a user would: from tarballs, into an empty project, in which programs are
// compiled and bundled.
import { build } from "esbuild"
import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { bundled, manifestIn, peersOf, published, root, withNeeded } from "./packages.js"

export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** Prints a line of progress to stderr, so that stdout has only the result. */
export const report = (line: string): void => console.error(line)

/** The arguments of npx that pack packages into a directory. */
const packing = (directory: string, packages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { packageManager = "pnpm" } = manifestIn()
  const filters = packages.map((folder) => `--filter=./packages/${folder}`)
  const pack = ["--recursive", ...filters, "pack", "--json", "--pack-destination", directory]
  return ["--yes", packageManager, ...pack]
}

/** The arguments of an `npm install` of packages that were packed, and of their peers. */
const installing = (packages: ReadonlyArray<string>, packed: string): ReadonlyArray<string> => {
  const tarballs: ReadonlyArray<{ readonly filename: string }> = JSON.parse(packed)
  const peers = new Set(packages.flatMap(peersOf))
  return [...peers, ...tarballs.map(({ filename }) => `file:${filename}`)]
}

/**
 * Packs packages and those that they need into a directory. Returns the arguments of an `npm install` of all. It only
 * compiles what has changed, so that others can use the packages meanwhile.
 */
export const packSome = async (
  directory: string,
  packages: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const all = withNeeded(packages)
  const npx = (args: ReadonlyArray<string>) => promisify(execFile)("npx", args, { cwd: root })
  await npx(["tsc", "-b", ...all.map((folder) => `packages/${folder}`)])
  if (all.includes(bundled)) await npx(["tsx", "scripts/promises.ts"])
  const { stdout } = await npx(packing(directory, all))
  return installing(all, stdout)
}

/** Builds every package anew and packs it into a directory. Returns the arguments of an `npm install` of all. */
export const packInto = (directory: string): ReadonlyArray<string> => {
  const folders = published.map((folder) => `packages/${folder}`)
  report("Compiling the packages, which takes up to a minute")
  for (const folder of folders) {
    rmSync(join(root, folder, "dist"), { recursive: true, force: true })
  }
  run(root, "npx", "tsc", "-b", ...folders)
  report("Bundling the commands and the promises")
  run(root, "npx", "tsx", "scripts/command.ts")
  run(root, "npx", "tsx", "scripts/promises.ts")
  report("Packing the packages")
  return installing(published, run(root, "npx", ...packing(directory, published)))
}

/** Makes a project with all packages and their peers, which is deleted when this process ends. */
export const makeProject = (...more: ReadonlyArray<string>): string => {
  const project = mkdtempSync(join(tmpdir(), "manilla-project-"))
  process.on("exit", () => rmSync(project, { recursive: true, force: true, maxRetries: 5 }))
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const wanted = packInto(project)
  report("Installing the packages into an empty project")
  const quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
  run(project, "npm", "install", ...quiet, ...wanted, ...more)
  return project
}

interface Strictness {
  readonly skipLibCheck?: boolean
  readonly types?: ReadonlyArray<string>
}

/** Compiles programs in a project with strict options. */
export const compile = (
  project: string,
  programs: Readonly<Record<string, string>>,
  { skipLibCheck = false, types = [] }: Strictness = {}
): void => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck,
    types
  }
  const files = Object.keys(programs)
  for (const file of files) writeFileSync(join(project, file), programs[file] ?? "")
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  run(root, "npx", "tsc", "-p", project)
}

/** Bundles a program of a project for a runtime without Node's modules. */
export const bundle = (project: string, contents: string) =>
  build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    metafile: true,
    external: ["node:*", ...builtinModules],
    logLevel: "error"
  })
