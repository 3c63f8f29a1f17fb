// docs/cold-starts.md: processes that import a client, and that pay once with it, until they have ended.
// They run where the packages are installed from tarballs.
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bundleTo } from "../scripts/bundled.js"
import { exactIn } from "../scripts/packages.js"
import { makeProject } from "../scripts/project.js"
import { facts } from "./facts.js"
import { kilobytes, median, millis, number, spread, table } from "./format.js"
import * as processes from "./processes.js"

/** The files in `starts`, and their titles. */
const titles = {
  empty: "an empty program",
  stripe: "stripe-node",
  effect: "`effect` with `fetch`",
  manillaUndici: "Manilla, `UndiciClient`",
  manillaFetch: "Manilla, `FetchClient`",
  manillaHttp: "Manilla, `NodeHttpClient`",
  promises: "`@manilla/promises`"
}

type Name = keyof typeof titles

const names = Object.keys(titles) as ReadonlyArray<Name>

const forms = [
  ...names.map((name) => ({ name, isBundle: false })),
  ...names.filter((name) => name !== "empty").map((name) => ({ name, isBundle: true }))
]

/** The cost of one process, in milliseconds. */
interface Cost {
  readonly user: number
  readonly wall: number
}

export interface Program {
  readonly name: Name
  readonly isBundle: boolean
  readonly file: string
  readonly modules: number
  readonly imports: Array<Cost>
  readonly answers: Array<Cost>
}

/** Tells the CPU time of a process as it ends. */
const hook = `process.on("exit", () =>
  require("node:fs").writeSync(3, String(process.resourceUsage().userCPUTime)))`

const start = (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Cost => {
  const begun = performance.now()
  const { output, status } = spawnSync(
    process.execPath,
    ["--require", join(file, "../hook.cjs"), file, ...args],
    { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit", "pipe"] }
  )
  const wall = performance.now() - begun
  if (status !== 0) throw new Error(`${file} exited with ${status}`)
  return { user: Number(output[3]) / 1000, wall }
}

/** The files that a process runs, apart from the hook. V8 lists them with the coverage of each. */
const modulesOf = (file: string): number => {
  const folder = mkdtempSync(join(file, "../coverage-"))
  start(file, [], { NODE_V8_COVERAGE: folder })
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8"))
    return result.map(({ url }: { readonly url: string }) => url)
  })
  return new Set(urls.filter((url) => url.startsWith("file:") && !url.endsWith("/hook.cjs"))).size
}

const prepare = (): ReadonlyArray<Program> => {
  const project = makeProject(exactIn("benchmarks")("stripe"))
  writeFileSync(join(project, "hook.cjs"), hook)
  buildSync({
    entryPoints: names.map((name) => `${import.meta.dirname}/starts/${name}.ts`),
    outdir: project,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm"
  })
  return forms.map(({ isBundle, name }) => {
    const source = join(project, `${name}.js`)
    const file = isBundle ? join(project, `${name}.mjs`) : source
    if (isBundle) bundleTo(file, source)
    return { name, isBundle, file, modules: modulesOf(file), imports: [], answers: [] }
  })
}

export const run = (rounds: number) =>
  Effect.gen(function* () {
    const programs = prepare()
    const { port } = yield* processes.server()
    for (let round = 1; round <= rounds; round++) {
      yield* Console.error(`round ${round}: starts`)
      for (const { answers, file, imports } of programs) {
        imports.push(start(file, []))
        answers.push(start(file, [String(port)]))
      }
    }
    return programs
  }).pipe(Effect.scoped)

/** A table of all programs, with more columns. */
const tableOf = (
  programs: ReadonlyArray<Program>,
  part: "imports" | "answers",
  columns: Readonly<Record<string, (program: Program) => string>>
): string => {
  const installed = (wanted: Name) =>
    programs.find(({ isBundle, name }) => name === wanted && !isBundle)?.[part] ?? []
  const [empty, stripe] = [installed("empty"), installed("stripe")]
  /** What each process costs more than the empty one of its round. */
  const more = (costs: ReadonlyArray<Cost>) =>
    costs.map(({ user }, round) => user - (empty[round]?.user ?? NaN))
  const rows = programs.map((program) => {
    const { [part]: costs, isBundle, name } = program
    const ratios = more(costs).map((user, round) => user / (more(stripe)[round] ?? NaN))
    return [
      isBundle ? `${titles[name]}, bundled` : titles[name],
      name === "empty" ? "–" : spread(ratios),
      millis(median(costs.map(({ user }) => user))),
      millis(median(costs.map(({ wall }) => wall))),
      ...Object.values(columns).map((column) => column(program))
    ]
  })
  const head = ["program", "relative to stripe-node", "user CPU", "wall", ...Object.keys(columns)]
  return table(head, rows)
}

const gzipOf = ({ file, isBundle }: Program): string =>
  isBundle ? kilobytes(gzipSync(readFileSync(file), { level: 9 }).byteLength) : "–"

const versions = ["stripe", "effect", "@effect/platform", "undici", "esbuild"]

export const markdown = (programs: ReadonlyArray<Program>): string =>
  [
    "# Cold starts",
    `Written by \`npm run bench\`. The cost of a process that loads a client, from its start to its end. A function pays it
whenever it starts. To lower it, [bundle](guides/bundle.md).`,
    facts(versions),
    `The packages are installed from tarballs, and bundled with the command of the guide. The programs take turns.
User CPU is the time of a process with its threads: median of the rounds. The ratio to stripe-node, as
installed, is without what an empty program costs in the same round: median (quartiles). Other load on the machine
changes wall most, and ratios least.`,
    "## Import",
    tableOf(programs, "imports", { modules: ({ modules }) => number(modules), gzip: gzipOf }),
    "## Import to first response",
    `The program also creates one payment, on a server that answers immediately. Before that, all but stripe-node request
a token. stripe-node uses \`node:http\`, as \`NodeHttpClient.layer\` does. undici, which is also Node's \`fetch\`, compiles
its HTTP parser first. stripe-node and \`effect\` with \`fetch\` do not check the response.`,
    tableOf(programs, "answers", {})
  ].join("\n\n") + "\n"
