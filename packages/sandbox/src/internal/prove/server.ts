/**
 * Commands of the user as processes. One and its children are in a process group, which is killed as a whole.
 */
import * as Command from "@effect/platform/Command"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { connect } from "node:net"
import { Problem } from "./trial.js"

interface Options {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Starts a command in a shell. It is killed at the latest when its scope closes. */
const spawn = ({ command, cwd, env }: Options) =>
  Effect.gen(function* () {
    const shell = Command.make(command).pipe(
      Command.runInShell(true),
      Command.workingDirectory(cwd),
      Command.env(env)
    )
    const child = yield* Effect.acquireRelease(Command.start(shell), (child) =>
      Effect.ignore(child.kill("SIGKILL"))
    )
    let output = ""
    yield* Stream.merge(child.stdout, child.stderr).pipe(
      Stream.decodeText(),
      Stream.runForEach((text) => Effect.sync(() => (output = (output + text).slice(-2000)))),
      Effect.forkScoped
    )
    return {
      isRunning: Effect.orElseSucceed(child.isRunning, () => false),
      exitCode: Effect.orElseSucceed(child.exitCode, () => 1),
      output: () => output.trim().split("\n").slice(-3).join(" | ") || "none",
      /** Ends when the whole group is dead. */
      kill: Effect.ignore(child.kill("SIGKILL"))
    }
  }).pipe(
    Effect.mapError(
      ({ message }) => new Problem({ message: `“${command}” cannot be started: ${message}` })
    )
  )

/** Runs a command to its end. */
export const run = (options: Options) =>
  Effect.gen(function* () {
    const child = yield* spawn(options)
    if ((yield* child.exitCode) === 0) return
    const message = `“reset” (${options.command}) failed. Its output: ${child.output()}`
    return yield* new Problem({ message })
  }).pipe(Effect.scoped)

const isListening = ({ hostname, port }: URL) =>
  Effect.async<boolean>((resume) => {
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""))
    const end = (listens: boolean) => {
      socket.destroy()
      resume(Effect.succeed(listens))
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })

const waitUntil = (isSo: Effect.Effect<boolean>, millis: number, message: () => string) =>
  isSo.pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("20 millis") }),
    Effect.timeoutFail({ duration: millis, onTimeout: () => new Problem({ message: message() }) })
  )

/** Starts a server, and waits until it listens on its address. */
export const start = (options: Options, url: URL, patienceMillis: number) =>
  Effect.gen(function* () {
    const { host } = url
    const listens = isListening(url)
    const inUse = `${host} is in use by another program. Stop it, or choose another port in the file of the proof.`
    // A killed process takes a moment to leave its port.
    yield* waitUntil(Effect.negate(listens), 5000, () => inUse)
    const server = yield* spawn(options)
    const problem = (what: string) =>
      `The server ${what} on ${host}. Check “command” (${options.command}). Its output: ${server.output()}`
    yield* waitUntil(
      Effect.if(server.isRunning, { onTrue: () => listens, onFalse: () => Effect.succeed(true) }),
      patienceMillis,
      () => problem("does not listen")
    )
    if (yield* server.isRunning) return server
    return yield* new Problem({ message: problem("ended before it listened") })
  })
