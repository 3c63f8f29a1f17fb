// `npm run simulate -- --seeds N [--from SEED]` runs N seeds, and prints the trace of the first that
// fails. `npm run simulate -- --seed SEED` runs one and prints its trace.
import { parseArgs } from "node:util"
import * as Simulation from "@manilla/simulation/Simulation"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "0" },
    seed: { type: "string" }
  }
})

const print = ({ hash, seed, trace, violations }: Simulation.Report): void => {
  console.log(`\nSeed ${seed}, trace ${hash.slice(0, 16)}\n\n${trace.join("\n")}\n`)
  for (const violation of violations) console.log(`VIOLATION  ${violation}`)
}

if (values.seed !== undefined) {
  const report = await Simulation.run(Number(values.seed))
  print(report)
  process.exitCode = report.violations.length === 0 ? 0 : 1
} else {
  const [from, seeds] = [Number(values.from), Number(values.seeds)]
  const total = { requests: 0, calls: 0, Applied: 0, NotApplied: 0, Unknown: 0 }
  const failed: Array<number> = []
  const startedMillis = performance.now()
  for (let seed = from; seed < from + seeds; seed++) {
    const report = await Simulation.run(seed)
    total.requests += report.requests
    total.calls += report.calls
    total.Applied += report.words.Applied
    total.NotApplied += report.words.NotApplied
    total.Unknown += report.words.Unknown
    if (report.violations.length > 0 && failed.push(seed) === 1) print(report)
    const done = seed - from + 1
    if (done % 1000 === 0 || done === seeds) {
      const rate = (done / (performance.now() - startedMillis)) * 1000
      console.log(`${done} of ${seeds} seeds, ${rate.toFixed(0)} a second, ${failed.length} failed`)
    }
  }
  console.log(`
seeds ${from} to ${from + seeds - 1}
requests             ${total.requests}
calls                ${total.calls}
  said applied       ${total.Applied}
  said not applied   ${total.NotApplied}
  said unknown       ${total.Unknown}
failed seeds         ${failed.length === 0 ? "none" : failed.slice(0, 20).join(", ")}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}
