// Runs the simulation with many seeds, or prints the timeline of one: `npm run simulate`. The program is bundled,
// because a loader would take a fifth of its time. It uses one core: for more, run several with other seeds.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { count, runCommand } from "./cli.js"
import { root } from "./packages.js"
import type * as seeds from "./seeds.js"

const run = (options: seeds.Options): void => {
  const outfile = `${root}.reports/simulate.mjs`
  buildSync({
    entryPoints: [`${root}scripts/seeds.ts`],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning"
  })
  // A run's allocations are short-lived.
  const args = ["--max-semi-space-size=64", outfile, JSON.stringify(options)]
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}

const options = {
  seed: Options.integer("seed").pipe(
    Options.withDescription("only this seed, with its timeline"),
    Options.optional
  ),
  seeds: count("seeds", 1000, "the number of seeds"),
  from: count("from", 0, "the first seed"),
  stopAt: count("stop-at", 20, "the number of failed seeds after which to stop")
}

runCommand(
  Command.make("npm run simulate --", options, ({ seed, ...options }) =>
    Effect.sync(() => run({ ...options, seed: Option.getOrUndefined(seed) }))
  )
)
