// `npm run simulate -- --seeds N [--from SEED] [--jobs JOBS]` runs N seeds, and prints the timeline of
// the first that fails. `npm run simulate -- --seed SEED` runs one and prints its timeline.
import { fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Simulation from "@manilla/simulation/Simulation"

const usage = `npm run simulate -- [--seeds N] [--from SEED] [--jobs JOBS] [--stop-at FAILURES]
npm run simulate -- --seed SEED`

/** Ends the program with what is wrong with its arguments. */
const refuse = (what: string): never => {
  console.error(`${what}\n\n${usage}`)
  process.exit(2)
}

const whole = (name: string, text: string, least: number): number => {
  const number = Number(text)
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least
    ? number
    : refuse(`--${name} must be a whole number from ${least}: ${text}`)
}

const parse = () => {
  try {
    return parseArgs({
      options: {
        seeds: { type: "string", default: "1000" },
        from: { type: "string", default: "0" },
        seed: { type: "string" },
        jobs: { type: "string", default: "1" },
        "stop-at": { type: "string", default: "20" },
        worker: { type: "string" }
      }
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const values = parse()
const options = {
  seeds: whole("seeds", values.seeds, 1),
  from: whole("from", values.from, 0),
  jobs: whole("jobs", values.jobs, 1),
  stopAt: whole("stop-at", values["stop-at"], 1)
}

const print = ({ seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${trace.hash().slice(0, 16)}\n\n${trace.lines().join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
  console.log(`\nAgain: npm run simulate -- --seed ${seed}\n`)
}

/** What a worker tells of some seeds. */
interface Told {
  readonly seeds: number
  readonly counts: Simulation.Counts
  readonly failed: ReadonlyArray<Pick<Simulation.Report, "seed" | "violations">>
}

const isTold = (message: unknown): message is Told =>
  typeof message === "object" && message !== null && "seeds" in message && "counts" in message

/** Runs every `jobs`-th seed, and tells its parent of them, a hundred at a time. */
const work = async (index: number): Promise<void> => {
  // Thousands of errors are made in a run: what matters of them is in the timeline.
  Error.stackTraceLimit = 0
  // A worker whose parent has gone works for nobody.
  process.on("disconnect", () => process.exit(1))
  const nothing = () => ({
    seeds: 0,
    counts: { ...Simulation.nothingCounted },
    failed: new Array<Told["failed"][number]>()
  })
  let told = nothing()
  /** Waits until it is told: only then does the worker hear whether its parent is still there. */
  const tell = () =>
    new Promise<void>((resolve) => {
      process.send?.(told, undefined, {}, () => setImmediate(resolve))
      told = nothing()
    })
  const end = options.from + options.seeds
  for (let seed = options.from + index; seed < end; seed += options.jobs) {
    const { counts, violations } = Simulation.run(seed)
    told.seeds++
    for (const name of Simulation.counted) told.counts[name] += counts[name]
    if (violations.length > 0) told.failed.push({ seed, violations })
    if (told.seeds === 100 || violations.length > 0) await tell()
  }
  if (told.seeds > 0) await tell()
}

/**
 * This program in one file, for the workers: what tsx adds to give each function its name takes a
 * fifth of their time.
 */
const bundle = async (directory: string): Promise<string> => {
  const { build } = await import("esbuild")
  const outfile = join(directory, "simulate.mjs")
  await build({
    entryPoints: [fileURLToPath(import.meta.url)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["esbuild"],
    logLevel: "warning"
  })
  return outfile
}

/** Shares the seeds out to workers, and adds up what they tell. */
const runAll = async (program: string): Promise<void> => {
  const startedMillis = performance.now()
  const counts = { ...Simulation.nothingCounted }
  const failed: Array<Told["failed"][number]> = []
  let done = 0
  let printed = 0
  /** Some two hundred lines of progress, however many seeds there are. */
  const stride = Math.max(500, Math.floor(options.seeds / 200))
  const rate = () => (done / (performance.now() - startedMillis)) * 1000
  const workers = Array.from({ length: options.jobs }, (_, index) =>
    fork(
      program,
      [
        `--seeds=${options.seeds}`,
        `--from=${options.from}`,
        `--jobs=${options.jobs}`,
        `--worker=${index}`
      ],
      // Almost all of what a run allocates is gone by its end, and other cores have their own worker.
      { execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"] }
    )
  )
  const ended = workers.map(
    (worker) =>
      new Promise<number>((resolve) => {
        worker.on("message", (message) => {
          if (!isTold(message)) return
          done += message.seeds
          for (const name of Simulation.counted) counts[name] += message.counts[name]
          for (const { seed, violations } of message.failed) {
            failed.push({ seed, violations })
            console.log(`seed ${seed} FAILED: ${violations.join("; ")}`)
          }
          if (done - printed >= stride || done === options.seeds) {
            printed = done
            const left = (options.seeds - done) / rate()
            console.log(
              `${done} of ${options.seeds} seeds, ${rate().toFixed(1)} a second, ${left.toFixed(0)} s to go, ${failed.length} failed`
            )
          }
          if (failed.length >= options.stopAt) for (const each of workers) each.kill()
        })
        worker.on("exit", (code) => resolve(code ?? 1))
      })
  )
  const codes = await Promise.all(ended)

  const [first] = failed.sort((a, b) => a.seed - b.seed)
  if (first !== undefined) print(Simulation.run(first.seed))
  const rows = [
    ["seeds", `${done}, from ${options.from}`],
    ...Simulation.counted.map((name) => [name, String(counts[name])]),
    ["seeds a second", rate().toFixed(1)],
    ["failed seeds", failed.length === 0 ? "none" : failed.map(({ seed }) => seed).join(", ")]
  ]
  console.log(`\n${rows.map(([name = "", value = ""]) => name.padEnd(20) + value).join("\n")}`)
  const whole = codes.every((code) => code === 0) && done === options.seeds
  if (!whole && failed.length === 0) console.error("A worker ended before its time.")
  process.exitCode = whole && failed.length === 0 ? 0 : 1
}

/** A run that stands still may leave something behind that would keep the program. */
const end = () => process.stdout.write("", () => process.exit())

if (values.worker !== undefined) {
  await work(whole("worker", values.worker, 0))
} else if (values.seed !== undefined) {
  const report = Simulation.run(whole("seed", values.seed, 0))
  print(report)
  process.exitCode = report.violations.length === 0 ? 0 : 1
} else {
  const directory = await mkdtemp(join(tmpdir(), "simulate-"))
  try {
    await runAll(await bundle(directory))
  } finally {
    await rm(directory, { recursive: true })
  }
}
end()
