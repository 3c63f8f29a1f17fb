// The machine and the versions of the measurement.
import { readFileSync } from "node:fs"
import { cpus, loadavg, totalmem, type } from "node:os"
import { number } from "./format.js"
import { cores } from "../machine/cores.js"

const measured = [
  "effect",
  "@effect/platform",
  "@effect/platform-node",
  "undici",
  "stripe",
  "axios",
  "openapi-fetch",
  "zod",
  "esbuild"
]

const versionOf = (name: string): string => {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  const { version }: { readonly version: string } = JSON.parse(readFileSync(file, "utf8"))
  return version
}

/** Read before the first measurement: load from other programs changes every figure. */
const [load = NaN] = loadavg()

export type Fact = readonly [what: string, value: string]

export const machine = (): ReadonlyArray<Fact> => {
  const all = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return [
    ["Date", new Date().toISOString().slice(0, 10)],
    [
      "Machine",
      `${all.length} × ${all[0]?.model.trim() ?? "unknown"}, ${gigabytes} GiB, ${type()}`
    ],
    ["Load at the start", number(load)],
    ["Node", process.versions.node]
  ]
}

export const versions = (names: ReadonlyArray<string>): Fact => [
  "Versions",
  names.map((name) => `${name} ${versionOf(name)}`).join(", ")
]

export const facts = (): ReadonlyArray<Fact> => [
  ...machine(),
  [
    "Cores",
    cores === undefined
      ? "the processes are not bound to cores, because `taskset` or a second core is missing"
      : "the server is bound to one core, the client to another"
  ],
  versions(measured)
]
