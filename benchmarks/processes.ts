// The benchmark processes: plain Node on the built files.
import { fork, spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { built } from "./build.js"

/** The cores of this process, as `taskset` lists them: `0-3,8`. */
const { status, stdout } = spawnSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" })
const allowed = status === 0 ? (stdout.split(":").at(-1)?.match(/\d+/g) ?? []) : []

/** A core for the server and one for the client. `undefined` without a second core or `taskset`. */
export const cores =
  allowed.length > 1 ? { server: allowed[0] ?? "", client: allowed.at(-1) ?? "" } : undefined

export interface Worker {
  readonly child: ChildProcess
  /** Its first message. */
  readonly first: unknown
  /** Sends a message and returns the reply. */
  readonly ask: (message: object) => Promise<unknown>
  readonly stop: () => Promise<void>
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

export interface Placement {
  readonly core?: "client" | "server"
  readonly node?: ReadonlyArray<string>
}

/** Starts a built file, such as `server.js`, and waits for its first message. */
export const start = async (
  file: string,
  args: ReadonlyArray<string | number>,
  { core, node = [] }: Placement = {}
): Promise<Worker> => {
  const child = fork(fileURLToPath(new URL(file, built)), args.map(String), { execArgv: [...node] })
  if (core !== undefined && cores !== undefined) {
    spawnSync("taskset", ["-acp", cores[core], String(child.pid)])
  }
  const first = await nextMessage(child, file)
  return {
    child,
    first,
    ask: (message) => {
      const reply = nextMessage(child, file)
      child.send(message)
      return reply
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      if (child.connected) child.disconnect()
      await exited
    }
  }
}

/** Runs a process that sends one message, and returns the message. */
export const result = async (...options: Parameters<typeof start>): Promise<unknown> => {
  const worker = await start(...options)
  await worker.stop()
  return worker.first
}
