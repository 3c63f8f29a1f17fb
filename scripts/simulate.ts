// Runs the simulation with many seeds, or prints the timeline of one.
import * as Simulation from "@manilla/simulation/Simulation"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { read } from "./options.js"
import { root } from "./packages.js"

const usage = `npm run simulate -- [OPTIONS]   run many seeds, and print the timeline of the first that fails
npm run simulate -- --seed N    run one seed, and print its timeline

  --seeds N    the number of seeds; 1000 by default
  --from N     the first seed; 0 by default
  --stop-at N  the number of failed seeds after which to stop; 20 by default

A process uses one core. For more, run several with other seeds at a time.`

const { values } = read(usage, { seeds: 1000, from: 0, seed: NaN, "stop-at": 20 })

const print = ({ seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${trace.hash().slice(0, 16)}\n\n${trace.lines().join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
  console.log(`\nRerun: npm run simulate -- --seed ${seed}\n`)
}

/** Runs the seeds, and returns whether none failed. */
const runAll = (): boolean => {
  // A run creates thousands of errors, and stack traces would dominate its time.
  Error.stackTraceLimit = 0
  const { from, seeds, "stop-at": stopAt } = values
  const startedMillis = performance.now()
  const counts = { ...Simulation.zeroCounts }
  const failed: Array<number> = []
  let done = 0
  const rate = () => ((done / (performance.now() - startedMillis)) * 1000).toFixed(1)
  while (done < seeds && failed.length < stopAt) {
    const seed = from + done
    const report = Simulation.run(seed)
    done++
    for (const name of Simulation.countNames) counts[name] += report.counts[name]
    if (report.violations.length > 0) {
      console.log(`seed ${seed} FAILED: ${report.violations.join("; ")}`)
      failed.push(seed)
    }
    if (done % 500 === 0) {
      console.log(`${done} of ${seeds} seeds, ${rate()} per second, ${failed.length} failed`)
    }
  }
  const [first] = failed
  if (first !== undefined) print(Simulation.run(first))
  const rows = [
    ["seeds", `${done}, from ${from}`],
    ...Simulation.countNames.map((name) => [name, String(counts[name])]),
    ["seeds per second", rate()],
    ["failed seeds", failed.length === 0 ? "none" : failed.join(", ")]
  ]
  console.log(`\n${rows.map(([name = "", value = ""]) => name.padEnd(22) + value).join("\n")}`)
  return failed.length === 0
}

/** Bundles this program, and runs the bundle: the loader's additions would take a fifth of the time. */
const runBundle = async (): Promise<boolean> => {
  const { build } = await import("esbuild")
  const outfile = `${root}.reports/simulate.mjs`
  await build({
    entryPoints: [fileURLToPath(import.meta.url)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["esbuild"],
    logLevel: "warning"
  })
  // A run's allocations are short-lived.
  const args = ["--max-semi-space-size=64", outfile, ...process.argv.slice(2)]
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0
}

const runOne = (seed: number): boolean => {
  const report = Simulation.run(seed)
  print(report)
  return report.violations.length === 0
}

const isBundle = import.meta.url.endsWith(".mjs")
const runMany = isBundle ? runAll : runBundle
const held = Number.isNaN(values.seed) ? await runMany() : runOne(values.seed)

// A deadlocked run may leave handles open that keep the process alive, so exit explicitly.
process.stdout.write("", () => process.exit(held ? 0 : 1))
