// The measured processes: plain Node on the built files. They end with a scope.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The measured programs, which `npm run bench:build` bundles, so that no loader runs in their processes. */
const built = new URL("dist/", import.meta.url)

/** The cores of this process, as `taskset` lists them: `0-3,8`. */
const { status, stdout } = spawnSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" })
const allowed = status === 0 ? (stdout.split(":").at(-1)?.match(/\d+/g) ?? []) : []

/** A core for the server and one for the client. `undefined` without a second core or `taskset`. */
const cores =
  allowed.length > 1 ? { server: allowed[0] ?? "", client: allowed.at(-1) ?? "" } : undefined

/** Binds a process and its threads, and every process that it starts later, to a core. */
export const place = (pid: number | undefined, core: "client" | "server"): void => {
  if (cores !== undefined) spawnSync("taskset", ["-acp", cores[core], String(pid)])
}

const nextMessage = (child: ChildProcess, file: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`${file} exited with ${code}`))
    child.once("exit", onExit)
    child.once("message", (message) => {
      child.off("exit", onExit)
      resolve(message)
    })
  })

export interface Worker<Message extends object, Reply> {
  readonly ask: (message: Message) => Effect.Effect<Reply>
}

/** Starts a built file, such as `server.js`, and waits until it is ready for messages. */
export const start = <Message extends object, Reply>(
  file: string,
  args: ReadonlyArray<string | number>,
  core: "client" | "server",
  node: ReadonlyArray<string> = []
): Effect.Effect<Worker<Message, Reply>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(fileURLToPath(new URL(file, built)), args.map(String), { execArgv: [...node] })
      ),
      (child) =>
        Effect.promise(async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const exited = once(child, "exit")
          if (child.connected) child.disconnect()
          await exited
        })
    )
    place(child.pid, core)
    yield* Effect.promise(() => nextMessage(child, file))
    return {
      ask: (message) =>
        Effect.promise(() => {
          const reply = nextMessage(child, file)
          child.send(message)
          return reply as Promise<Reply>
        })
    }
  })

/** What the server tells. */
export interface Served {
  readonly port: number
  readonly connections: number
}

/** Starts the server, which answers at once. */
export const server = (keepAliveSeconds = 120) =>
  Effect.gen(function* () {
    const worker = yield* start<object, Served>("server.js", [keepAliveSeconds], "server")
    const { port } = yield* worker.ask({})
    return { port, served: worker.ask({}) }
  })
