// Benchmarks workflows beside many sleeping ones: `npm run bench:workflows`. See `--help` for options.
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import { buildAll } from "../machine/build.js"
import { type Engine, engines, isEngine } from "./Measured.js"
import * as page from "./page.js"
import { run } from "./run.js"

const usage = `npm run bench:workflows                all engines and sizes; writes docs/scale.md
npm run bench:workflows -- --quick     small sizes, in a few minutes; prints only
npm run bench:workflows -- [FILTERS]   some cells; prints only
npm run bench:workflows -- --page      writes docs/scale.md from docs/scale/results.json again

  --engine ENGINE,..     ${engines.join(", ")}
  --size N,..            sleeping executions
  --minutes N            the limit of a cell, 30 by default
  --write                also put the cells into docs/scale/results.json, and write docs/scale.md`

const refuse = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const parse = () => {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        page: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        engine: { type: "string" },
        size: { type: "string" },
        minutes: { type: "string" }
      }
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const positive = (name: string, text: string): number =>
  Number.isSafeInteger(Number(text)) && Number(text) > 0
    ? Number(text)
    : refuse(`--${name} must be a positive integer: ${text}`)

const options = parse()
if (options.help) {
  console.log(usage)
} else if (options.page) {
  if (!existsSync(page.results)) refuse("there is no docs/scale/results.json yet")
  page.write(page.read())
} else {
  const chosen = options.engine
    ?.split(",")
    .map((text): Engine => (isEngine(text) ? text : refuse(`--engine: unknown value ${text}`)))
  const sizes = options.size?.split(",").map((text) => positive("size", text))
  const isWritten = options.write || (!options.quick && chosen === undefined && sizes === undefined)

  await buildAll(["core", "token", "payments", "payouts", "payment-links", "cards", "workflows"])
  const measured = await Effect.runPromise(
    run(
      {
        engines: chosen ?? engines,
        sizes: sizes ?? (options.quick ? [100, 300] : [1_000, 10_000, 100_000]),
        limitMinutes:
          options.minutes === undefined
            ? options.quick
              ? 3
              : 30
            : positive("minutes", options.minutes),
        ...(options.quick
          ? { quiet: 30, busy: 200, settleSeconds: 2, restSeconds: 3 }
          : { quiet: 200, busy: 1_000, settleSeconds: 70, restSeconds: 10 })
      },
      // A long run that is cut off keeps the cells that it has measured.
      (cell) => {
        if (isWritten) page.write(page.merged(page.read(), cell))
      }
    )
  )
  console.log(page.table(measured))
}
