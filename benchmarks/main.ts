// Compares the cost of Manilla with that of other clients: `npm run bench`.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { flag, count, runCommand } from "../scripts/cli.js"
import { buildAll } from "./build.js"
import * as calls from "./calls.js"
import { operations } from "./messages.js"
import { markdown } from "./performance.js"
import * as size from "./size.js"
import * as waits from "./waits.js"

const parts = ["calls", "burst", "size", "waits"] as const

const options = {
  quick: flag("quick", "everything in less than five minutes; prints only"),
  parts: Options.choice("part", parts).pipe(
    Options.withDescription("only this part; prints only"),
    Options.atLeast(0)
  ),
  rounds: count("rounds", 9, "windows per client"),
  waits: count("waits", 100_000, "waits at once")
}

const bench = Command.make("npm run bench --", options, (wanted) =>
  Effect.gen(function* () {
    const { quick } = wanted
    const inFlight = quick ? [64] : [1, 16, 64, 256]
    const plan: calls.Plan = {
      cells: operations.flatMap((operation) =>
        inFlight.map((concurrency) => ({ operation, concurrency }))
      ),
      rounds: quick ? Math.min(4, wanted.rounds) : wanted.rounds,
      heatMillis: quick ? 500 : 1000,
      warmMillis: quick ? 150 : 200,
      millis: quick ? 250 : 350,
      progress: (line) => console.error(line)
    }
    yield* Effect.promise(() => buildAll("server.ts", "callsWorker.ts", "waitsWorker.ts"))
    /** A part, unless it is left out. */
    const part = <A>(name: (typeof parts)[number], measure: Effect.Effect<A>) =>
      wanted.parts.length === 0 || wanted.parts.includes(name) ? measure : Effect.succeed(undefined)
    const page = markdown({
      calls: yield* part("calls", calls.run(plan)),
      bursts: yield* part("burst", calls.bursts(quick ? 300 : 1000)),
      sizes: yield* part("size", Effect.promise(size.run)),
      waits: yield* part("waits", waits.run(quick ? Math.min(10_000, wanted.waits) : wanted.waits))
    })
    yield* Console.log(page)
    if (!quick && wanted.parts.length === 0) {
      writeFileSync(new URL("../docs/performance.md", import.meta.url), page)
    }
  })
).pipe(Command.withDescription("Measures the cost of calls, and writes docs/performance.md."))

runCommand(bench)
