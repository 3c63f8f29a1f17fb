// Measures durable payouts beside other programs and engines, and beside many that sleep: `npm run bench:workflows`.
import * as Command from "@effect/cli/Command"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { flag, isWhole, only, runCommand } from "../../scripts/cli.js"
import { place } from "../processes.js"
import * as measure from "./measure.js"
import { markdown, type Report } from "./page.js"
import { type Name, names, programs } from "./programs.js"

const parts = ["payouts", "await", "sleepers"] as const
const engines = ["memory", "sqlite", "postgres"] as const

const options = {
  quick: flag("quick", "small sizes, in a few minutes"),
  isPart: only("part", parts),
  isProgram: only("program", names)
}

/** How many rounds, how long, and how many. */
const lengths = {
  quick: { rounds: 1, seconds: 2, waits: 20, sizes: [100, 300] },
  whole: { rounds: 5, seconds: 5, waits: 100, sizes: [1_000, 10_000, 100_000] }
}

const run = ({ isPart, isProgram, quick }: Command.Command.ParseConfig<typeof options>) =>
  Effect.gen(function* () {
    const { rounds, seconds, sizes, waits } = quick ? lengths.quick : lengths.whole
    const wanted = (part: (typeof parts)[number], all: ReadonlyArray<Name>) =>
      isPart(part) ? all.filter(isProgram) : []
    const tell = (what: string, name: Name) => Console.error(`${what}: ${programs[name].title}`)

    // PostgreSQL starts from here.
    place(process.pid, "server")

    const report: Report = { rounds: [], waits: [], cells: [] }
    for (let round = 1; round <= rounds; round++) {
      for (const name of wanted("payouts", names)) {
        yield* tell(`round ${round}`, name)
        report.rounds.push({ name, measured: yield* measure.payouts(name, seconds) })
      }
    }
    for (const name of wanted("await", engines)) {
      yield* tell("await", name)
      report.waits.push({ name, measured: yield* measure.waits(name, waits) })
    }
    for (const name of wanted("sleepers", engines)) {
      for (const size of sizes) {
        yield* tell(`${size} sleeping`, name)
        report.cells.push(yield* measure.beside(name, size, quick))
      }
    }
    yield* Console.log(markdown(report))
    if (isWhole) writeFileSync(new URL("../../docs/scale.md", import.meta.url), markdown(report))
  })

const bench = Command.make("npm run bench:workflows --", options, run).pipe(
  Command.withDescription("Measures durable payouts. Without an option, writes docs/scale.md."),
  Command.provide(Reactivity.layer)
)

runCommand(bench)
