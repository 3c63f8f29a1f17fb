// Compares the cost of Manilla with that of other clients: `npm run bench`.
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { flag, isWhole, only, runCommand } from "../scripts/cli.js"
import * as calls from "./calls.js"
import { operations } from "./messages.js"
import { markdown } from "./performance.js"
import * as size from "./size.js"
import * as starts from "./starts.js"

/** The parts of docs/performance.md. */
const ofCalls = ["calls", "burst", "size"] as const

const options = {
  quick: flag("quick", "in less than five minutes"),
  isPart: only("part", [...ofCalls, "starts"])
}

const run = ({ isPart, quick }: Command.Command.ParseConfig<typeof options>) =>
  Effect.gen(function* () {
    const inFlight = quick ? [64] : [1, 16, 64, 256]
    const plan: calls.Plan = {
      cells: operations.flatMap((operation) =>
        inFlight.map((concurrency) => ({ operation, concurrency }))
      ),
      starts: quick ? 1 : 3,
      rounds: 4,
      heatMillis: quick ? 500 : 1000,
      warmMillis: quick ? 150 : 200,
      millis: quick ? 250 : 350
    }
    if (isPart("starts")) {
      const page = starts.markdown(yield* starts.run(quick ? 5 : 21))
      yield* Console.log(page)
      if (!quick) writeFileSync(new URL("../docs/cold-starts.md", import.meta.url), page)
    }
    if (!ofCalls.some(isPart)) return
    const page = markdown({
      calls: isPart("calls") ? yield* calls.run(plan) : undefined,
      bursts: isPart("burst") ? yield* calls.bursts(quick ? 300 : 1000) : undefined,
      sizes: isPart("size") ? size.run() : undefined
    })
    yield* Console.log(page)
    if (isWhole) writeFileSync(new URL("../docs/performance.md", import.meta.url), page)
  })

const bench = Command.make("npm run bench --", options, run).pipe(
  Command.withDescription(
    "Measures calls and cold starts. Without an option, writes docs/performance.md and docs/cold-starts.md; with `--part starts`, only the latter."
  )
)

runCommand(bench)
