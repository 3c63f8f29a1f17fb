// What a program pays for Manilla before it does anything: the size of its bundle.
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { kilobytes, table } from "./format.js"

const programs = {
  effect: "Effect, `FetchHttpClient`",
  payments: "the same and Payments"
} as const

type Program = keyof typeof programs

export interface Size {
  readonly program: Program
  readonly bytes: number
  readonly gzipBytes: number
}

const measure = async (program: Program): Promise<Size> => {
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
  const gzipBytes = gzipSync(contents, { level: 9 }).byteLength
  return { program, bytes: contents.byteLength, gzipBytes }
}

export const run = (): Promise<ReadonlyArray<Size>> =>
  Promise.all([measure("effect"), measure("payments")])

/** Compressed bytes that Payments adds to a program with Effect and its HTTP client. */
export const added = (sizes: ReadonlyArray<Size>): number => {
  const bytesOf = (wanted: Program) => sizes.find((one) => one.program === wanted)?.gzipBytes ?? NaN
  return bytesOf("payments") - bytesOf("effect")
}

export const tables = (sizes: ReadonlyArray<Size>): ReadonlyArray<string> => [
  "## Bundle",
  "Bundled and minified by esbuild, without Node's built-in modules.",
  table(
    ["program", "minified", "gzip"],
    sizes.map(({ bytes, gzipBytes, program }) => [
      programs[program],
      kilobytes(bytes),
      kilobytes(gzipBytes)
    ])
  )
]
