// Installs the packages as a user would: from tarballs, into an empty project, in which programs are
// compiled and bundled.
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifestIn, peers, published, root } from "./packages.js"

export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** Prints a line of progress to stderr, so that stdout has only the result. */
export const report = (line: string): void => console.error(line)

/** Builds every package anew and packs it into a directory. Returns the arguments of an `npm install` of all. */
export const packInto = (directory: string): ReadonlyArray<string> => {
  const { packageManager = "pnpm" } = manifestIn()
  const folders = published.map((folder) => `packages/${folder}`)
  report("Compiling the packages, which takes up to a minute")
  for (const folder of folders) {
    rmSync(join(root, folder, "dist"), { recursive: true, force: true })
  }
  run(root, "npx", "tsc", "-b", ...folders)
  report("Bundling the commands")
  run(root, "npx", "tsx", "scripts/command.ts")
  report("Packing the packages")
  const filters = folders.map((folder) => `--filter=./${folder}`)
  const pack = ["--recursive", ...filters, "pack", "--json", "--pack-destination", directory]
  const packed = run(root, "npx", "--yes", packageManager, ...pack)
  const tarballs: ReadonlyArray<{ readonly filename: string }> = JSON.parse(packed)
  return [...peers, ...tarballs.map(({ filename }) => `file:${filename}`)]
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
