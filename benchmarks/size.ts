// What a program pays for Manilla before it does anything: the size of its bundle.
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { kilobytes, table } from "./format.js"

/** A program with Effect and its HTTP client, and the same with Payments. */
export interface Sizes {
  readonly effect: number
  readonly payments: number
}

const gzipBytesOf = async (program: keyof Sizes): Promise<number> => {
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
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength
}

export const run = async (): Promise<Sizes> => ({
  effect: await gzipBytesOf("effect"),
  payments: await gzipBytesOf("payments")
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
