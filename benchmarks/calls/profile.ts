// CPU profiles of one window of a candidate, by package and by function.
import { mkdirSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { candidates } from "../candidates/index.js"
import { built } from "../machine/build.js"
import { number, table } from "../report/format.js"
import { type Cell, startClient, startServer } from "./run.js"

const warmMillis = 2000
const millis = 4000

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Profile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** The self time of each node, in microseconds. */
const selfTimes = ({ samples, timeDeltas }: Profile): ReadonlyMap<number, number> => {
  const times = new Map<number, number>()
  samples.forEach((id, index) => times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0)))
  return times
}

/** The package of a frame. */
const packageOf = ({ functionName, url }: CallFrame): string => {
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (installed !== undefined) return installed
  const [, own] = /\/dist\/packages\/([^/]+)\//.exec(url) ?? []
  if (own !== undefined) return `@manilla/${own}`
  if (url.includes("/dist/benchmarks/")) return "benchmarks"
  if (url !== "") return "node"
  return functionName.startsWith("(") ? functionName : "(native)"
}

const maps = new Map<string, SourceMap | undefined>()

const mapOf = (url: string): SourceMap | undefined => {
  if (!url.startsWith(built.href)) return undefined
  if (!maps.has(url))
    maps.set(url, new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), "utf8"))))
  return maps.get(url)
}

/** The source file, relative to its package, and the line. */
const placeOf = ({ columnNumber, lineNumber, url }: CallFrame): string => {
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
  const line = entry !== undefined && "originalLine" in entry ? entry.originalLine : lineNumber
  const file = url
    .replace(/.*\/(?:node_modules|dist)\//, "")
    .replace(/\.js$/, entry === undefined ? ".js" : ".ts")
  return url === "" ? "" : `${file}:${line + 1}`
}

const summed = (
  profile: Profile,
  name: (frame: CallFrame) => string
): ReadonlyArray<readonly [name: string, micros: number]> => {
  const times = selfTimes(profile)
  const sums = new Map<string, number>()
  for (const { callFrame, id } of profile.nodes) {
    const key = name(callFrame)
    sums.set(key, (sums.get(key) ?? 0) + (times.get(id) ?? 0))
  }
  return [...sums].sort(([, one], [, other]) => other - one)
}

/** One window of a candidate. */
export interface Profiled {
  readonly title: string
  /** Its file, relative to the repository. */
  readonly file: string
  /** The packages with the most self time. */
  readonly packages: (most: number) => string
  /** The functions with the most self time. */
  readonly functions: (most: number) => string
}

const tablesOf = (profile: Profile, calls: number): Pick<Profiled, "packages" | "functions"> => {
  const busy = (name: string) => name !== "(idle)"
  const packages = summed(profile, packageOf).filter(([name]) => busy(name))
  const whole = packages.reduce((sum, [, micros]) => sum + micros, 0)
  const cells = ([name, micros]: readonly [string, number]) => [
    `${number((100 * micros) / whole)} %`,
    `${number(micros / calls)} µs`,
    ...name.split("\0")
  ]
  const frames = summed(
    profile,
    (frame) => `${packageOf(frame)}\0${frame.functionName || "(anonymous)"}\0${placeOf(frame)}`
  ).filter(([name]) => !name.startsWith("(idle)"))
  return {
    packages: (most) => table(["self", "per call", "package"], packages.slice(0, most).map(cells)),
    functions: (most) =>
      table(["self", "per call", "package", "function", "where"], frames.slice(0, most).map(cells))
  }
}

export const run = async (
  only: ReadonlyArray<string> | undefined,
  cells: ReadonlyArray<Cell>,
  progress: (line: string) => void
): Promise<ReadonlyArray<Profiled>> => {
  const profiles: Array<Profiled> = []
  const folder = new URL("profiles/", built)
  mkdirSync(folder, { recursive: true })
  const [server, port] = await startServer()
  try {
    for (const candidate of candidates.filter(({ name }) => only?.includes(name) ?? true)) {
      const client = await startClient(candidate, port)
      if (typeof client === "string") {
        progress(`${candidate.name} skipped: ${client}`)
        continue
      }
      for (const cell of cells) {
        const file = `${candidate.name}.${cell.operation}.${cell.concurrency}.cpuprofile`
        const path = fileURLToPath(new URL(file, folder))
        const { calls, cpuMicros } = await client.window({
          ...cell,
          warmMillis,
          millis,
          profile: path
        })
        profiles.push({
          title: `${candidate.name}: ${cell.operation}, ${cell.concurrency} in flight, ${number(cpuMicros / calls)} µs of CPU per call`,
          file: `benchmarks/dist/profiles/${file}`,
          ...tablesOf(JSON.parse(readFileSync(path, "utf8")), calls)
        })
      }
      await client.stop()
    }
  } finally {
    await server.stop()
  }
  return profiles
}
