// What a program pays for Manilla before it does anything: the size of its bundle, and the time of its import.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { built } from "./build.js"
import { kilobytes, type Quartiles, quartiles, spread, table } from "./format.js"

const programs = {
  effect: "Effect, `FetchHttpClient`",
  payments: "the same and Payments",
  paymentsAndToken: "the same and Token"
} as const

type Program = keyof typeof programs

const names = Object.keys(programs) as ReadonlyArray<Program>

export interface Size {
  readonly program: Program
  readonly bytes: number
  readonly gzipBytes: number
  /** Milliseconds of a process that imports the bundle, more than of one that imports nothing. */
  readonly importMillis: Quartiles
}

const bundle = async (program: Program) => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none",
    logLevel: "warning"
  })
  const contents = outputFiles[0]?.contents ?? new Uint8Array()
  return { contents, gzipBytes: gzipSync(contents, { level: 9 }).byteLength }
}

const importTime = (file: string): number => {
  const startedMillis = performance.now()
  const { status } = spawnSync(process.execPath, [file], { stdio: "ignore" })
  if (status !== 0) throw new Error(`${file} exited with ${status}`)
  return performance.now() - startedMillis
}

const measure = async (program: Program, rounds: number): Promise<Size> => {
  const { contents, gzipBytes } = await bundle(program)
  const file = fileURLToPath(new URL(`${program}.bundle.mjs`, built))
  const empty = fileURLToPath(new URL("empty.mjs", built))
  writeFileSync(file, contents)
  writeFileSync(empty, "")
  return {
    program,
    bytes: contents.byteLength,
    gzipBytes,
    importMillis: quartiles(
      Array.from({ length: rounds }, () => importTime(file) - importTime(empty))
    )
  }
}

export const run = async (rounds: number): Promise<ReadonlyArray<Size>> => {
  const sizes: Array<Size> = []
  for (const program of names) sizes.push(await measure(program, rounds))
  return sizes
}

/** Compressed bytes that a program adds to the one with Effect and its HTTP client. */
export const added = (sizes: ReadonlyArray<Size>, program: Program): number => {
  const bytesOf = (wanted: Program) => sizes.find((one) => one.program === wanted)?.gzipBytes ?? NaN
  return bytesOf(program) - bytesOf("effect")
}

export const tables = (sizes: ReadonlyArray<Size>): ReadonlyArray<string> => [
  "## Bundle",
  `Bundled and minified by esbuild, without Node's built-in modules. Import: the time of a process that only
imports the bundle, minus the time of a process that imports nothing.`,
  table(
    ["program", "minified", "gzip", "more than Effect, gzip", "import"],
    sizes.map(({ bytes, gzipBytes, importMillis, program }) => [
      programs[program],
      kilobytes(bytes),
      kilobytes(gzipBytes),
      kilobytes(added(sizes, program)),
      `${spread(importMillis)} ms`
    ])
  )
]
