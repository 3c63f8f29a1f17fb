/**
 * Commands of the user as processes. One and its children are in a process group, which is killed as a whole.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { exec, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { promisify } from "node:util"
import { Problem } from "./problem.js"

interface Command {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

const spawned = ({ command, cwd, env }: Command) => {
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
  child.stdout?.on("data", add)
  child.stderr?.on("data", add)
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
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    output: () => output.trim().split("\n").slice(-3).join(" | ") || "none",
    /** Ends when the whole group is dead. */
    kill: Effect.promise(async () => {
      killNow()
      await ended
      process.off("exit", killNow)
    })
  }
}

const isListening = ({ hostname, port }: URL): Promise<boolean> => {
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""))
  const answer = once(socket, "connect").then(
    () => true,
    () => false
  )
  return answer.finally(() => socket.destroy())
}

/** Starts a server, and waits until it listens on its address. It is killed at the latest when its scope closes. */
export const start = (options: Command & { readonly url: URL; readonly patienceMillis: number }) =>
  Effect.gen(function* () {
    const { command, patienceMillis, url } = options
    const wait = (until: (listens: boolean) => boolean, limit: number, message: () => string) =>
      Effect.promise(() => isListening(url)).pipe(
        Effect.repeat({ until, schedule: Schedule.spaced("20 millis") }),
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () => new Problem({ message: message() })
        })
      )
    const other = `${url.host} is in use by another program. Stop it, or choose another port in the file of the proof.`
    // A killed process takes a moment to leave its port.
    yield* wait(
      (listens) => !listens,
      5000,
      () => other
    )
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => spawned(options)),
      ({ kill }) => kill
    )
    const problem = (what: string) =>
      `The server ${what} on ${url.host}. Check “command” (${command}). Its output: ${server.output()}`
    const hasStarted = (listens: boolean) => listens || !server.isRunning()
    yield* wait(hasStarted, patienceMillis, () => problem("does not listen"))
    if (server.isRunning()) return server
    return yield* new Problem({ message: problem("ended before it listened") })
  })

/** Runs a command to its end. */
export const run = ({ command, ...options }: Command) =>
  Effect.tryPromise({
    try: () => promisify(exec)(command, { ...options, env: { ...process.env, ...options.env } }),
    catch: (error) =>
      new Problem({ message: `“reset” (${command}) failed: ${String(error).trim()}` })
  })
