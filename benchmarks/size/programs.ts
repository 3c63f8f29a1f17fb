// The programs for bundle sizes and import times.
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

/** The unbundled JavaScript file of a program. */
export const fileOf = (program: Program): string =>
  fileURLToPath(new URL(`benchmarks/size/programs/${program}.js`, built))

/** The bundled file of a program. */
export const bundleOf = (program: Program): string =>
  fileURLToPath(new URL(`bundles/${program}.mjs`, built))
