// Installs the packages as a user would: from tarballs, into an empty project, in which programs are
// compiled and bundled.
import { build } from "esbuild"
import type { BuildResult } from "esbuild"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import { manifestIn, peers, published, root } from "./packages.js"

export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** Prints a line of progress to stderr, so that stdout has only the result. */
export const report = (line: string): void => console.error(line)

/** The `file:` URL of the tarball of each package. */
export type Tarballs = Readonly<Record<string, string>>

/** Builds every package and packs it into a directory. */
export const packInto = (directory: string): Tarballs => {
  const { packageManager = "pnpm" } = manifestIn()
  report("Compiling the packages, which takes up to a minute")
  run(root, "npx", "tsc", "-b", ...published.map((folder) => `packages/${folder}`))
  report("Bundling the commands")
  run(root, "npx", "tsx", "scripts/command.ts")
  return Object.fromEntries(
    published.map((folder, i) => {
      report(`Packing ${folder}, ${i + 1} of ${published.length}`)
      const packed = run(
        join(root, "packages", folder),
        "npx",
        "--yes",
        packageManager,
        "pack",
        "--json",
        "--pack-destination",
        directory
      )
      const { filename, name }: { readonly filename: string; readonly name: string } =
        JSON.parse(packed)
      return [name, `file:${filename}`]
    })
  )
}

/** The arguments of an `npm install` of all packages and their peers. */
export const everything = (tarballs: Tarballs): ReadonlyArray<string> => [
  ...peers,
  ...Object.values(tarballs)
]

/** Installs the given packages into a project, or by default those of its package.json. */
export const install = (project: string, ...wanted: ReadonlyArray<string>): void => {
  const quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
  run(project, "npm", "install", ...quiet, ...wanted)
}

interface Strictness {
  readonly skipLibCheck?: boolean
  readonly types?: ReadonlyArray<string>
}

/** Compiles programs in a project with strict options. */
export const compile = (
  project: string,
  files: ReadonlyArray<string>,
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
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  run(root, "npx", "tsc", "-p", project)
}

/** Bundles a program of a project for a runtime without Node's modules. */
export const bundle = (
  project: string,
  contents: string
): Promise<BuildResult<{ metafile: true; write: false }>> =>
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
