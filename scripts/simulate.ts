// Runs the simulation with many seeds, or prints the timeline of one: `npm run simulate`, which bundles it, because
// a loader would take a fifth of its time. It uses one core: for more, run several with other seeds.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Simulation from "@manilla/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { count, runCommand } from "./cli.js"

const options = {
  seed: Options.integer("seed").pipe(
    Options.withDescription("only this seed, with its timeline"),
    Options.optional
  ),
  seeds: count("seeds", 1000, "the number of seeds"),
  from: count("from", 0, "the first seed")
}

type Wanted = Command.Command.ParseConfig<typeof options>

const print = ({ seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${trace.hash().slice(0, 16)}\n\n${trace.lines().join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
  console.log(`\nRerun: npm run simulate -- --seed ${seed}\n`)
}

/** Runs the seeds, and returns whether none failed. */
const runAll = ({ from, seeds }: Wanted): boolean => {
  // A run creates thousands of errors, and stack traces would dominate its time.
  Error.stackTraceLimit = 0
  const startedMillis = performance.now()
  const counts = { ...Simulation.zeroCounts }
  const failed: Array<number> = []
  let done = 0
  const rate = () => ((done / (performance.now() - startedMillis)) * 1000).toFixed(1)
  while (done < seeds && failed.length < 20) {
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
  console.log(`\n${done} seeds from ${from}, ${rate()} per second`)
  for (const name of Simulation.countNames) console.log(`${name.padEnd(22)}${counts[name]}`)
  console.log(`failed seeds: ${failed.join(", ") || "none"}`)
  return failed.length === 0
}

const runOne = (seed: number): boolean => {
  const report = Simulation.run(seed)
  print(report)
  return report.violations.length === 0
}

const simulate = Command.make("npm run simulate --", options, (wanted) =>
  Effect.sync(() => {
    const held = Option.match(wanted.seed, { onNone: () => runAll(wanted), onSome: runOne })
    // A deadlocked run may leave handles open that keep the process alive, so exit explicitly.
    process.stdout.write("", () => process.exit(held ? 0 : 1))
  })
)

runCommand(simulate)
