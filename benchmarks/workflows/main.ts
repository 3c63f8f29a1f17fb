// Measures durable payouts beside other programs, and beside many that sleep: `npm run bench:workflows`.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { flag, runCommand } from "../../scripts/cli.js"
import { buildAll } from "../build.js"
import { place } from "../processes.js"
import * as measure from "./measure.js"
import { markdown, type Round } from "./page.js"
import { names, programs } from "./programs.js"

const parts = ["payouts", "await", "sleepers"] as const
const engines = ["memory", "sqlite", "postgres"] as const

const options = {
  quick: flag("quick", "small sizes, in a few minutes; prints only"),
  part: Options.choice("part", parts).pipe(
    Options.withDescription("only this part; prints only"),
    Options.atLeast(0)
  ),
  program: Options.choice("program", names).pipe(
    Options.withDescription("only this program; prints only"),
    Options.atLeast(0)
  ),
  sleeping: Options.integer("sleeping").pipe(
    Options.withDescription("only beside so many sleeping executions; prints only"),
    Options.atLeast(0)
  )
}

const bench = Command.make(
  "npm run bench:workflows --",
  options,
  ({ part, program, quick, sleeping }) =>
    Effect.gen(function* () {
      const isPart = (one: (typeof parts)[number]) => part.length === 0 || part.includes(one)
      const isProgram = (one: (typeof names)[number]) =>
        program.length === 0 || program.includes(one)
      const chosen = names.filter(isProgram)
      const chosenEngines = engines.filter(isProgram)
      const sizes = sleeping.length > 0 ? sleeping : quick ? [100, 300] : [1_000, 10_000, 100_000]

      yield* Effect.promise(() => buildAll("server.ts", "workflows/worker.ts"))
      // PostgreSQL starts from here.
      place(process.pid, "server")

      const rounds: Array<Round> = []
      for (let round = 1; isPart("payouts") && round <= (quick ? 1 : 5); round++) {
        for (const name of chosen) {
          yield* Console.error(`round ${round}: ${programs[name].title}`)
          rounds.push({ name, measured: yield* measure.payouts(name, quick ? 2 : 5) })
        }
      }
      const waits: Array<Round> = []
      for (const name of isPart("await") ? chosenEngines : []) {
        yield* Console.error(`await: ${programs[name].title}`)
        waits.push({ name, measured: yield* measure.waits(name, quick ? 20 : 100) })
      }
      const cells: Array<measure.Cell> = []
      for (const name of isPart("sleepers") ? chosenEngines : []) {
        for (const size of sizes) {
          yield* Console.error(`${size} sleeping: ${programs[name].title}`)
          const lengths = quick
            ? { quiet: 30, busy: 200, settleMillis: 2_000, restMillis: 3_000 }
            : { quiet: 200, busy: 1_000, settleMillis: 70_000, restMillis: 10_000 }
          cells.push(yield* measure.beside(name, size, lengths))
        }
      }
      const page = markdown({ rounds, waits, cells })
      yield* Console.log(page)
      if (!quick && [part, program, sleeping].every(({ length }) => length === 0)) {
        writeFileSync(new URL("../../docs/scale.md", import.meta.url), page)
      }
    })
).pipe(Command.withDescription("Measures durable payouts, and writes docs/scale.md."))

runCommand(Command.provide(bench, Reactivity.layer))
