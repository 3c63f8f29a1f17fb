// The programs that are bundled and imported.
import { fileURLToPath } from "node:url"
import { built } from "../machine/build.js"

export const programs = {
  empty: "an empty program",
  effect: "Effect, `FetchHttpClient`",
  payments: "the same and Payments",
  paymentsAndToken: "the same and Token",
  stripe: "stripe-node"
} as const

export type Program = keyof typeof programs

export const names = Object.keys(programs) as ReadonlyArray<Program>

/** The program as plain JavaScript, which imports its packages. */
export const fileOf = (program: Program): string =>
  fileURLToPath(new URL(`benchmarks/size/programs/${program}.js`, built))

/** The same in one file. */
export const bundleOf = (program: Program): string =>
  fileURLToPath(new URL(`bundles/${program}.mjs`, built))
