// Runs one cell at a time, each in new processes and on a new database.
import * as Postgres from "@manilla/test-support/Postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watch } from "../machine/processes.js"
import type { Engine, Measured, Task } from "./Measured.js"
import { titles } from "./Measured.js"

export interface Plan {
  readonly engines: ReadonlyArray<Engine>
  readonly sizes: ReadonlyArray<number>
  readonly limitMinutes: number
  readonly quiet: number
  readonly busy: number
  readonly settleSeconds: number
  readonly restSeconds: number
}

const node = ["--expose-gc", "--max-old-space-size=12288", "--no-deprecation"]
const file = "workflows/worker.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A process that is killed when the scope closes. */
const worker = (task: Task, limitMillis: number) =>
  Effect.acquireRelease(
    Effect.sync(() => watch({ file, node, args: [JSON.stringify(task)] }, limitMillis)),
    ({ kill, last }) =>
      Effect.zipRight(
        Effect.sync(kill),
        Effect.promise(() => last.catch(() => undefined))
      )
  )

const cell = (
  engine: Engine,
  sleeping: number,
  { busy, limitMinutes, quiet, restSeconds, settleSeconds }: Plan
) =>
  Effect.gen(function* () {
    const limitMillis = limitMinutes * 60_000
    const isPostgres = engine === "postgres" || engine === "postgres3"
    const url = isPostgres
      ? Redacted.value((yield* Postgres.serverWith({ isDurable: true })).url)
      : ""
    const taskOf = (helpers: ReadonlyArray<number>, isHelper: boolean) =>
      Effect.map(Postgres.freePort, (port): Task => ({
        engine,
        sleeping,
        quiet,
        busy,
        settleSeconds: engine === "memory" ? 2 : settleSeconds,
        restSeconds,
        file: join(path, "workflows.db"),
        url,
        port,
        isHelper,
        helpers
      }))
    const path = yield* folder
    const helpers: Array<number> = []
    for (let number = 1; number < (engine === "postgres3" ? 3 : 1); number++) {
      const { first, pid } = yield* worker(yield* taskOf([], true), limitMillis)
      yield* Effect.promise(() => first)
      helpers.push(pid)
    }
    const { last } = yield* worker(yield* taskOf(helpers, false), limitMillis)
    const { isWhole, report } = yield* Effect.promise(() => last)
    const nothing: Measured = { engine, sleeping, limitMinutes, unfinished: "nothing was measured" }
    const measured: Measured = { ...nothing, ...(report as Partial<Measured>), limitMinutes }
    if (!isWhole) return measured
    const { unfinished: _, ...whole } = measured
    return whole
  }).pipe(Effect.scoped)

/** Measures all cells, and hands each on as soon as it is measured. */
export const run = (plan: Plan, onMeasured: (measured: Measured) => void) =>
  Effect.forEach(
    plan.engines.flatMap((engine) => plan.sizes.map((size) => ({ engine, size }))),
    ({ engine, size }) =>
      Effect.gen(function* () {
        console.error(`${titles[engine]}, ${size.toLocaleString("en")} sleeping`)
        const measured = yield* cell(engine, size, plan)
        onMeasured(measured)
        return measured
      })
  )
