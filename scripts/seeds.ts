// The bundled program of `npm run simulate`. Its argument is the options.
import * as Simulation from "@manilla/simulation/Simulation"

export interface Options {
  /** Only this seed. */
  readonly seed: number | undefined
  readonly from: number
  readonly seeds: number
  readonly stopAt: number
}

const print = ({ seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${trace.hash().slice(0, 16)}\n\n${trace.lines().join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
  console.log(`\nRerun: npm run simulate -- --seed ${seed}\n`)
}

/** Runs the seeds, and returns whether none failed. */
const runAll = ({ from, seeds, stopAt }: Options): boolean => {
  // A run creates thousands of errors, and stack traces would dominate its time.
  Error.stackTraceLimit = 0
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

const runOne = (seed: number): boolean => {
  const report = Simulation.run(seed)
  print(report)
  return report.violations.length === 0
}

const options: Options = JSON.parse(process.argv[2] ?? "")
const held = options.seed === undefined ? runAll(options) : runOne(options.seed)

// A deadlocked run may leave handles open that keep the process alive, so exit explicitly.
process.stdout.write("", () => process.exit(held ? 0 : 1))
