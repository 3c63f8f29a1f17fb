import { mkdirSync } from "node:fs"
import { built } from "../machine/build.js"
import { kilobytes, spread, table } from "../report/format.js"
import { type Bundled, run as bundle } from "./bundle.js"
import { type Imported, run as importAll } from "./imports.js"
import { programs, type Program } from "./programs.js"

export interface Sizes {
  readonly bundled: ReadonlyArray<Bundled>
  readonly imported: ReadonlyArray<Imported>
}

export const run = async (rounds: number): Promise<Sizes> => {
  mkdirSync(new URL("bundles/", built), { recursive: true })
  const bundled = await bundle()
  return { bundled, imported: importAll(rounds) }
}

export interface Added {
  readonly whole: number
  readonly own: number
}

/** Compressed bytes that a program adds to the one with Effect and its HTTP client. */
export const added = ({ bundled }: Sizes, program: Program): Added | undefined => {
  const find = (wanted: Program) => bundled.find((one) => one.program === wanted)
  const [base, found] = [find("effect"), find(program)]
  return base === undefined || found === undefined
    ? undefined
    : {
        whole: found.gzipBytes - base.gzipBytes,
        own: found.ownGzipBytes - base.ownGzipBytes
      }
}

export const bundles = (sizes: Sizes): string =>
  table(
    [
      "program",
      "minified",
      "gzip",
      "without Effect, `FetchHttpClient`",
      "Manilla's own, compressed alone"
    ],
    sizes.bundled
      .filter(({ program }) => program !== "empty")
      .map(({ bytes, gzipBytes, program }) => {
        const more = program.startsWith("payments") ? added(sizes, program) : undefined
        return [
          programs[program],
          kilobytes(bytes),
          kilobytes(gzipBytes),
          more === undefined ? "" : kilobytes(more.whole),
          more === undefined ? "" : kilobytes(more.own)
        ]
      })
  )

/** Minified bytes per package. */
export const packages = ({ bundled }: Sizes): string => {
  const shown = bundled.filter(({ program }) => program !== "empty" && program !== "stripe")
  const names = [...new Set(shown.flatMap((one) => Object.keys(one.packages)))].sort()
  return table(
    ["package, minified", ...shown.map(({ program }) => programs[program])],
    names.map((name) => [name, ...shown.map((one) => kilobytes(one.packages[name] ?? 0))])
  )
}

export const imports = ({ imported }: Sizes): string =>
  table(
    ["program", "from its packages", "bundled"],
    [...new Set(imported.map(({ program }) => program))].map((program) => [
      programs[program],
      ...[false, true].map((bundled) => {
        const found = imported.find((one) => one.program === program && one.bundled === bundled)
        return found === undefined ? "" : `${spread(found.millis)} ms`
      })
    ])
  )
