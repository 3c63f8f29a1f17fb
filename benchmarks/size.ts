// What a program pays for Manilla before it does anything: the size of its bundle.
import { buildSync } from "esbuild"
import { gzipSync } from "node:zlib"

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
