// What a program pays for Manilla before it does anything: the size of its bundle.
import { buildSync } from "esbuild"
import { gzipSync } from "node:zlib"
import { kilobytes, table } from "./format.js"

/** A program with Effect and its HTTP client, and the same with Payments. */
export interface Sizes {
  readonly effect: number
  readonly payments: number
}

const gzipBytesOf = (program: keyof Sizes): number => {
  const { outputFiles } = buildSync({
    entryPoints: [`${import.meta.dirname}/programs/${program}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    legalComments: "none"
  })
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength
}

export const run = (): Sizes => ({
  effect: gzipBytesOf("effect"),
  payments: gzipBytesOf("payments")
})

export const tables = ({ effect, payments }: Sizes): ReadonlyArray<string> => [
  "## Bundle",
  "Bundled and minified by esbuild, without Node's built-in modules, and compressed by gzip.",
  table(
    ["program", "size"],
    [
      ["Effect, `FetchHttpClient`", kilobytes(effect)],
      ["the same and Payments", kilobytes(payments)]
    ]
  )
]
