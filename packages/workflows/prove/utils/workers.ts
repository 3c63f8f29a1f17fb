/** The worker processes of the kill tests. */
import * as Bundle from "@manilla/test-support/Bundle"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { setPriority } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Job, type Settings, jobs } from "./jobs.js"

/** The worker ended by itself, or did not come to its end. */
export class WorkerFailed extends Data.TaggedError("WorkerFailed")<{ readonly message: string }> {}

/** Bundles a worker of this folder. */
export const bundleOf = (source: string) =>
  Bundle.make(fileURLToPath(new URL(source, import.meta.url)))

/** The worker that runs jobs. */
export const bundle = bundleOf("worker.ts")

export interface Worker {
  /** When its engine ran. It waits for ever if the worker ends before. */
  readonly ready: Deferred.Deferred<number>
  /** Done when all its jobs have ended. Fails when the worker ends before. */
  readonly ended: Deferred.Deferred<void, WorkerFailed>
  /** The executions that it found parked, and resumed. */
  readonly parked: ReadonlySet<string>
  /** How each job, or each part of a payroll, ended. */
  readonly ends: ReadonlyMap<string, string>
  readonly signal: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM") => Effect.Effect<void>
  readonly pid: number | undefined
  /** Its exit code, or the signal that ended it. */
  readonly exited: Effect.Effect<number | NodeJS.Signals | null>
}

/** A batch of a million payouts needs no more. */
const heapMegabytes = 512

/** Runs a worker, which is killed when the scope closes. */
export const start = (
  settings: object,
  program: string
): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<number>()
    const ended = yield* Deferred.make<void, WorkerFailed>()
    const parked = new Set<string>()
    const ends = new Map<string, string>()
    const { exited, worker } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const node = ["--no-deprecation", `--max-old-space-size=${heapMegabytes}`]
        const worker = spawn(process.execPath, [...node, program], {
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, WORKER: JSON.stringify(settings) }
        })
        // On a busy machine, the service would else be slower than the timeout of each of a thousand requests.
        if (worker.pid !== undefined) setPriority(worker.pid, 10)
        let output = ""
        createInterface(worker.stdout).on("line", (line) => {
          output = `${output}\n${line}`.slice(-2_000)
          const [word, key = "", ...text] = line.split(" ")
          if (word === "ready") Deferred.unsafeDone(ready, Clock.currentTimeMillis)
          if (word === "parked") parked.add(key)
          if (word === "end") ends.set(key, text.join(" "))
          if (word === "ended") Deferred.unsafeDone(ended, Effect.void)
        })
        const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
          worker.once("exit", (code, signal) => {
            const message = `the worker ended with ${signal ?? code}:${output}`
            Deferred.unsafeDone(ended, Effect.fail(new WorkerFailed({ message })))
            resolve(signal ?? code)
          })
        )
        return { worker, exited }
      }),
      ({ exited, worker }) =>
        Effect.promise(() => {
          worker.kill("SIGKILL")
          return exited
        })
    )
    return {
      ready,
      ended,
      parked,
      ends,
      pid: worker.pid,
      exited: Effect.promise(() => exited),
      signal: (signal) => Effect.sync(() => worker.kill(signal))
    }
  })

/** An execution is stuck if none ends for this long. A long list takes as long as it needs. */
const stuckAfter = Duration.minutes(30)

/** Waits until all executions have ended, as long as some end. */
const awaitEnds = (worker: Worker, all: ReadonlyArray<Job>): Effect.Effect<void, WorkerFailed> =>
  Effect.gen(function* () {
    const before = worker.ends.size
    const isEnded = yield* Effect.timeoutTo(Deferred.await(worker.ended), {
      duration: stuckAfter,
      onSuccess: () => true,
      onTimeout: () => false
    })
    if (isEnded) return
    if (worker.ends.size > before) return yield* awaitEnds(worker, all)
    const stuck = all.map(({ businessKey }) => businessKey).filter((key) => !worker.ends.has(key))
    return yield* new WorkerFailed({
      message: `${stuck.length} of ${all.length} executions are stuck: ${stuck.slice(0, 10).join(", ")}`
    })
  })

/** Runs a worker until every job of its settings has ended: those that did not succeed, and the number of those parked. */
export const finish = (settings: Settings, program: string) =>
  Effect.gen(function* () {
    const worker = yield* start({ ...settings, resumes: true }, program)
    const all = jobs(settings)
    yield* awaitEnds(worker, all)
    const failures = all.flatMap(({ businessKey }) => {
      const end = worker.ends.get(businessKey)
      return end === '"success"' ? [] : [`${businessKey} ended with ${end ?? "nothing"}`]
    })
    return { failures, parked: worker.parked.size }
  }).pipe(Effect.scoped)
