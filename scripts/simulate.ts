// `npm run simulate -- --seeds N [--from SEED] [--jobs JOBS]` runs N seeds and prints the timeline of
// the first failing seed. `npm run simulate -- --seed SEED` runs one seed and prints its timeline.
import { fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Simulation from "@manilla/simulation/Simulation"

const usage = `npm run simulate -- [OPTIONS]   run many seeds, and print the timeline of the first that fails
npm run simulate -- --seed N    run one seed, and print its timeline

  --seeds N    the number of seeds; 1000 by default
  --from N     the first seed; 0 by default
  --jobs N     the number of processes; 1 by default
  --stop-at N  the number of failed seeds after which to stop; 20 by default`

/** Reports a usage error and exits. */
const refuse = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const integer = (name: string, text: string, min: number): number => {
  const number = Number(text)
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number >= min
    ? number
    : refuse(`--${name} must be an integer of at least ${min}: ${text}`)
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
  seeds: integer("seeds", values.seeds, 1),
  from: integer("from", values.from, 0),
  jobs: integer("jobs", values.jobs, 1),
  stopAt: integer("stop-at", values["stop-at"], 1)
}

const print = ({ seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${trace.hash().slice(0, 16)}\n\n${trace.lines().join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
  console.log(`\nRerun: npm run simulate -- --seed ${seed}\n`)
}

/** The results of a batch of seeds, as a worker reports them. */
interface Batch {
  readonly seeds: number
  readonly counts: Simulation.Counts
  readonly failed: ReadonlyArray<Pick<Simulation.Report, "seed" | "violations">>
}

const isBatch = (message: unknown): message is Batch =>
  typeof message === "object" && message !== null && "seeds" in message && "counts" in message

/** Runs every `jobs`-th seed, and reports to the parent in batches of a hundred. */
const work = async (index: number): Promise<void> => {
  // A run creates thousands of errors, and stack traces would dominate its time.
  Error.stackTraceLimit = 0
  // Exit when the parent has gone.
  process.on("disconnect", () => process.exit(1))
  const emptyBatch = () => ({
    seeds: 0,
    counts: { ...Simulation.zeroCounts },
    failed: new Array<Batch["failed"][number]>()
  })
  let batch = emptyBatch()
  /** Waits for the message to be sent, because only then can the worker see a "disconnect". */
  const send = () =>
    new Promise<void>((resolve) => {
      process.send?.(batch, undefined, {}, () => setImmediate(resolve))
      batch = emptyBatch()
    })
  const end = options.from + options.seeds
  for (let seed = options.from + index; seed < end; seed += options.jobs) {
    const { counts, violations } = Simulation.run(seed)
    batch.seeds++
    for (const name of Simulation.countNames) batch.counts[name] += counts[name]
    if (violations.length > 0) batch.failed.push({ seed, violations })
    if (batch.seeds === 100 || violations.length > 0) await send()
  }
  if (batch.seeds > 0) await send()
}

/**
 * Bundles this program into one file for the workers. The code that tsx adds to keep function names
 * would take a fifth of their time.
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

/** Distributes the seeds over workers, and sums their results. */
const runAll = async (program: string): Promise<void> => {
  const startedMillis = performance.now()
  const counts = { ...Simulation.zeroCounts }
  const failed: Array<Batch["failed"][number]> = []
  let done = 0
  let printed = 0
  /** At most two hundred lines of progress, for any number of seeds. */
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
      // A run's allocations are short-lived, and the other cores are busy with other workers.
      { execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"] }
    )
  )
  const ended = workers.map(
    (worker) =>
      new Promise<number>((resolve) => {
        worker.on("message", (message) => {
          if (!isBatch(message)) return
          done += message.seeds
          for (const name of Simulation.countNames) counts[name] += message.counts[name]
          for (const { seed, violations } of message.failed) {
            failed.push({ seed, violations })
            console.log(`seed ${seed} FAILED: ${violations.join("; ")}`)
          }
          if (done - printed >= stride || done === options.seeds) {
            printed = done
            const left = (options.seeds - done) / rate()
            console.log(
              `${done} of ${options.seeds} seeds, ${rate().toFixed(1)} per second, ${left.toFixed(0)} s left, ${failed.length} failed`
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
    ...Simulation.countNames.map((name) => [name, String(counts[name])]),
    ["seeds per second", rate().toFixed(1)],
    ["failed seeds", failed.length === 0 ? "none" : failed.map(({ seed }) => seed).join(", ")]
  ]
  console.log(`\n${rows.map(([name = "", value = ""]) => name.padEnd(22) + value).join("\n")}`)
  const completed = codes.every((code) => code === 0) && done === options.seeds
  if (!completed && failed.length === 0) console.error("A worker exited early.")
  process.exitCode = completed && failed.length === 0 ? 0 : 1
}

/** A deadlocked run may leave handles open that keep the process alive, so exit explicitly. */
const end = () => process.stdout.write("", () => process.exit())

if (values.worker !== undefined) {
  await work(integer("worker", values.worker, 0))
} else if (values.seed !== undefined) {
  const report = Simulation.run(integer("seed", values.seed, 0))
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
