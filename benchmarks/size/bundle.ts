// The size of a program, bundled and minified by esbuild, then compressed.
import { writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { bundleOf, fileOf, names, type Program } from "./programs.js"

export interface Bundled {
  readonly program: Program
  readonly bytes: number
  readonly gzipBytes: number
  /** Compressed bytes of the project's packages, without their dependencies. */
  readonly ownGzipBytes: number
  /** Minified bytes by package. */
  readonly packages: Readonly<Record<string, number>>
}

const theProgram = "the program"

const packageOf = (path: string): string =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ??
  /dist\/packages\/([^/]+)\//.exec(path)?.[1]?.replace(/^/, "@manilla/") ??
  theProgram

const bundle = async (program: Program, external: ReadonlyArray<string> = []) => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileOf(program)],
    external: [...external],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    outfile: bundleOf(program),
    legalComments: "none",
    logLevel: "warning"
  })
  return { metafile, contents: outputFiles[0]?.contents ?? new Uint8Array() }
}

const gzipped = (contents: Uint8Array): number => gzipSync(contents, { level: 9 }).byteLength

/** The names of all external packages and their modules. */
const others = (packages: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  Object.keys(packages)
    .filter((name) => name !== theProgram && !name.startsWith("@manilla/"))
    .flatMap((name) => [name, `${name}/*`])

const measure = async (program: Program): Promise<Bundled> => {
  const { contents, metafile } = await bundle(program)
  const packages: Record<string, number> = {}
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = packageOf(path)
      packages[name] = (packages[name] ?? 0) + bytesInOutput
    }
  }
  const own = await bundle(program, others(packages))
  writeFileSync(bundleOf(program), contents)
  return {
    program,
    packages,
    bytes: contents.byteLength,
    gzipBytes: gzipped(contents),
    ownGzipBytes: gzipped(own.contents)
  }
}

export const run = (): Promise<ReadonlyArray<Bundled>> => Promise.all(names.map(measure))
