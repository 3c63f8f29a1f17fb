// The machine and the versions of a measurement.
import { readFileSync } from "node:fs"
import { cpus, loadavg, totalmem, type } from "node:os"
import { number } from "./format.js"

/** Read before the first measurement: load from other programs changes every figure. */
const [load = NaN] = loadavg()

const versionOf = (name: string): string => {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url)
  return `${name} ${JSON.parse(readFileSync(file, "utf8")).version}`
}

/** A list of what was measured on. */
export const facts = (packages: ReadonlyArray<string>): string =>
  [
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`,
    `Load at the start: ${number(load)}`,
    `Node: ${process.versions.node}`,
    `Versions: ${packages.map(versionOf).join(", ")}`
  ]
    .map((fact) => `- ${fact}`)
    .join("\n")
