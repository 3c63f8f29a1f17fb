/**
 * The server under proof as a process. It and its children are in a process group, which is killed as a whole.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { Problem } from "./all.js"

export interface Options {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** The address that it listens on. */
  readonly url: URL
  readonly patience: Duration.DurationInput
}

export interface Server {
  readonly isRunning: () => boolean
  /** Ends when the whole group is dead. */
  readonly kill: Effect.Effect<void>
  /** The end of its output. */
  readonly output: () => string
}

const spawned = ({ command, cwd, env }: Pick<Options, "command" | "cwd" | "env">) => {
  const child = spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    shell: true,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  const add = (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-2000)
  }
  child.stdout.on("data", add)
  child.stderr.on("data", add)
  const ended = once(child, "exit").catch(() => [])
  const killNow = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      // The group has ended.
    }
  }
  // Also when this process ends in an unexpected way.
  process.once("exit", killNow)
  const kill = Effect.promise(async () => {
    killNow()
    await ended
    process.off("exit", killNow)
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  return { ended, isRunning, kill, output: () => output.trim().split("\n").slice(-3).join(" | ") }
}

const isListening = ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

/** Starts it, and waits until it listens. It is killed at the latest when its scope closes. */
export const start = (options: Options): Effect.Effect<Server, Problem, Scope.Scope> =>
  Effect.gen(function* () {
    const { command, patience, url } = options
    const wait = (
      until: (listens: boolean) => boolean,
      limit: Duration.DurationInput,
      problem: () => string
    ) =>
      Effect.promise(() => isListening(url)).pipe(
        Effect.repeat({ until, schedule: Schedule.spaced("20 millis") }),
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () => new Problem({ message: problem() })
        })
      )
    // A killed process takes a moment to leave its port.
    yield* wait(
      (listens) => !listens,
      "5 seconds",
      () =>
        `${url.host} is in use by another program. Stop it, or choose another port in the file of the proof.`
    )
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => spawned(options)),
      ({ kill }) => kill
    )
    const says = () => `Check “command” (${command}). Its output: ${server.output() || "none"}`
    yield* wait(
      (listens) => listens || !server.isRunning(),
      patience,
      () => `The server does not listen on ${url.host}. ${says()}`
    )
    if (!server.isRunning()) {
      const message = `The server ended before it listened on ${url.host}. ${says()}`
      return yield* new Problem({ message })
    }
    return server
  })

/** Runs a command to its end. */
export const run = (
  options: Pick<Options, "command" | "cwd" | "env">
): Effect.Effect<void, Problem> =>
  Effect.acquireUseRelease(
    Effect.sync(() => spawned(options)),
    ({ ended, output }) =>
      Effect.flatMap(
        Effect.promise(() => ended),
        ([code]) =>
          code === 0
            ? Effect.void
            : new Problem({
                message: `“reset” (${options.command}) ended with ${String(code)}. Its output: ${output() || "none"}`
              })
      ),
    ({ kill }) => kill
  )
