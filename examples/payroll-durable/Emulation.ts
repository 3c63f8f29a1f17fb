/**
 * Starts the sandbox of this example in a process of its own, or finds the one that an earlier run started.
 */
import { Data, Effect, Option, Schedule, Schema } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The state of the example, which survives it: the database of the workflows, and the sandbox's address. */
export const directory = join(tmpdir(), "manilla-payroll-durable")

const file = join(directory, "sandbox.json")

const Running = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    environment: Schema.Record({ key: Schema.String, value: Schema.String })
  })
)

class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const found = Effect.try(() => readFileSync(file, "utf8")).pipe(
  Effect.flatMap(Schema.decode(Running)),
  Effect.filterOrFail(({ pid }) => isAlive(pid)),
  Effect.option
)

const start = Effect.gen(function* () {
  // Without its sandbox, the state of an earlier payroll is worth nothing.
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  const program = fileURLToPath(new URL("sandbox.ts", import.meta.url))
  spawn(process.execPath, ["--import", "tsx", program, file], {
    detached: true,
    stdio: "ignore"
  }).unref()
  const started = yield* found.pipe(
    Effect.repeat({
      until: Option.isSome,
      schedule: Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(300))
    }),
    Effect.zipRight(found)
  )
  return yield* Option.match(started, {
    onNone: () => Effect.fail(new NotStarted({ message: "The sandbox did not start." })),
    onSome: Effect.succeed
  })
})

/** The environment variables that point the client at the sandbox. */
export const environment = Effect.gen(function* () {
  const running = yield* found
  const { environment } = Option.isSome(running) ? running.value : yield* start
  return environment
})

/** Stops the sandbox and forgets the payroll, so that the next run starts anew. */
export const stop = Effect.gen(function* () {
  const running = yield* found
  if (Option.isSome(running)) process.kill(running.value.pid, "SIGTERM")
  rmSync(directory, { recursive: true, force: true })
})
