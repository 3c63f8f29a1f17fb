// Measures workflows beside many sleeping ones: `npm run bench:workflows`. Each cell has a process and a
// database of its own.
import * as Postgres from "@manilla/test-support/Postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { buildAll } from "../build.js"
import { result } from "../processes.js"
import {
  type BatchTask,
  type Engine,
  engines,
  type Measured,
  type MeasuredBatch,
  type Task,
  titles
} from "./Measured.js"
import * as page from "./page.js"

const usage = `npm run bench:workflows                all engines and sizes; writes docs/scale.md
npm run bench:workflows -- --quick     small sizes, in a few minutes; prints only
npm run bench:workflows -- [FILTERS]   some cells; prints only

  --batch                only a batch
  --engine ENGINE,..     ${engines.join(", ")}
  --size N,..            sleeping executions`

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    batch: { type: "boolean", default: false },
    engine: { type: "string", default: engines.join(",") },
    size: { type: "string" }
  }
})
const { quick } = values
const sizes = (values.size ?? (quick ? "100,300" : "1000,10000,100000")).split(",").map(Number)
const chosen = engines.filter((engine) => values.engine.split(",").includes(engine))
const isWhole =
  !quick && !values.batch && values.size === undefined && chosen.length === engines.length
const lengths = quick
  ? { quiet: 30, busy: 200, settleSeconds: 2, restSeconds: 3 }
  : { quiet: 200, busy: 1_000, settleSeconds: 70, restSeconds: 10 }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A new database, and a port for a runner. */
const database = (engine: Engine) =>
  Effect.gen(function* () {
    return {
      file: join(yield* folder, "workflows.db"),
      port: yield* Postgres.freePort,
      url:
        engine === "postgres"
          ? Redacted.value((yield* Postgres.serverWith({ isDurable: true })).url)
          : ""
    }
  })

const batch = (engine: BatchTask["engine"]) =>
  Effect.gen(function* () {
    const size = quick ? { count: 2_000, rounds: 1 } : { count: 10_000, rounds: 5 }
    const task: BatchTask = { engine, concurrency: 64, ...size, ...(yield* database(engine)) }
    console.error(`${titles[engine]}, a batch`)
    const measured = yield* Effect.promise(() =>
      result("workflows/batchWorker.js", [JSON.stringify(task)], { node: ["--no-deprecation"] })
    )
    return measured as ReadonlyArray<MeasuredBatch>
  }).pipe(Effect.scoped)

const cell = (engine: Engine, sleeping: number) =>
  Effect.gen(function* () {
    const task: Task = {
      engine,
      sleeping,
      ...lengths,
      ...(engine === "memory" ? { settleSeconds: 2 } : {}),
      ...(yield* database(engine))
    }
    console.error(`${titles[engine]}, ${sleeping.toLocaleString("en")} sleeping`)
    const node = ["--expose-gc", "--max-old-space-size=12288", "--no-deprecation"]
    const measured = yield* Effect.promise(() =>
      result("workflows/worker.js", [JSON.stringify(task)], { node })
    )
    return measured as Measured
  }).pipe(Effect.scoped)

if (values.help || chosen.length === 0 || !sizes.every((one) => one > 0)) {
  console.error(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  await buildAll("workflows/worker.ts", "workflows/batchWorker.ts")
  const cells = values.batch
    ? []
    : chosen.flatMap((engine) => sizes.map((size) => cell(engine, size)))
  const measured = await Effect.runPromise(Effect.all(cells))
  const withBatches = chosen.filter((engine) => engine !== "memory")
  const batches = await Effect.runPromise(Effect.all(withBatches.map(batch)))
  if (measured.length > 0) console.log(page.table(measured))
  console.log(page.batchTable(batches.flat()))
  if (isWhole) page.write(measured, batches.flat())
}
