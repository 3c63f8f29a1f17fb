// Measures programs, each in a new process with a new database beside a service in a process of its own.
import * as Postgres from "@manilla/test-support/Postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as restateServer from "../../packages/workflows/prove/utils/restateServer.js"
import { server, start } from "../processes.js"
import { type Name, type Places, type Program, programs } from "./programs.js"
import * as store from "./store.js"
import type { Ask, Sample } from "./worker.js"

/** What a process and its database did for what it was asked. */
export interface Measured extends Sample {
  readonly store: store.Reading
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The database of a program, or the server that stores its steps. */
const storeOf = (kind: Program["store"]) =>
  Effect.gen(function* () {
    const nothing = { url: "", pid: undefined, register: Effect.void }
    switch (kind) {
      case "postgres": {
        const { url } = yield* Postgres.serverWith({ isDurable: true })
        return { ...nothing, url: Redacted.value(url) }
      }
      case "restate": {
        const { pid, register, url } = yield* restateServer.server(1)
        return { url: Redacted.value(url), pid: pid(), register }
      }
      default:
        return nothing
    }
  })

/** Starts a program. Everything ends with the scope. */
const started = (name: Name) =>
  Effect.gen(function* () {
    const program: Program = programs[name]
    const { port } = yield* server()
    const { pid, register, url } = yield* storeOf(program.store)
    const places: Places = { port, file: join(yield* folder, "workflows.db"), url }
    const worker = yield* start<Ask, Sample>(
      "workflows/worker.js",
      [JSON.stringify([name, places])],
      "client",
      ["--expose-gc", "--no-deprecation"]
    )
    yield* register
    const read = yield* store.readerOf(program.store, places, pid)
    return (job: Ask["job"], count: number, atOnce = 64) =>
      Effect.gen(function* () {
        const before = yield* read
        const sample = yield* worker.ask({ job, count, atOnce })
        const measured: Measured = { ...sample, store: store.between(before, yield* read) }
        return measured
      })
  })

/** After this number of payouts, the code of a worker is compiled. Until then, a payout costs up to twice as much. */
const warmUp = 4_000

/** Payouts, 64 at once, by a worker that has run for a while. */
export const payouts = (name: Name, seconds: number) =>
  Effect.gen(function* () {
    const measure = yield* started(name)
    const warm = yield* measure("pay", warmUp)
    return yield* measure("pay", Math.ceil((warm.count / warm.millis) * 1_000 * seconds))
  }).pipe(Effect.scoped)

/** The time that `await` takes, for one execution after another. */
export const waits = (name: Name, count: number) =>
  Effect.gen(function* () {
    const measure = yield* started(name)
    yield* measure("wait", 10, 1)
    return yield* measure("wait", count, 1)
  }).pipe(Effect.scoped)

/** An engine with many sleeping executions. */
export interface Cell {
  readonly name: Name
  readonly sleeping: number
  readonly heapBytesEach: number
  /** They go to sleep. */
  readonly filled: Measured
  /** All sleep. */
  readonly rest: Measured
  /** Further executions, one after another. */
  readonly quiet: Measured
  /** Further executions, 64 at a time. */
  readonly busy: Measured
}

export const beside = (name: Name, sleeping: number, quick: boolean) =>
  Effect.gen(function* () {
    const measure = yield* started(name)
    const warm = yield* measure("pay", 100)
    const filled = yield* measure("sleep", sleeping, 100)
    // The last of them store their pauses, and an engine lets go of what is idle.
    const settled = yield* measure("rest", quick ? 2_000 : 70_000)
    const cell: Cell = {
      name,
      sleeping,
      filled,
      heapBytesEach: (settled.heapBytes - warm.heapBytes) / sleeping,
      rest: yield* measure("rest", quick ? 3_000 : 10_000),
      quiet: yield* measure("pay", quick ? 30 : 200, 1),
      busy: yield* measure("pay", quick ? 200 : 1_000)
    }
    return cell
  }).pipe(Effect.scoped)
