// The processes of the benchmark: plain Node on the built files, bound to a core each.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { built } from "./build.js"
import { cores, type Cores } from "./cores.js"

export interface Started {
  /** Sends a message and gives the answer to it. */
  readonly ask: (message: object) => Promise<unknown>
  readonly stop: () => Promise<void>
}

export interface Spawn {
  /** A file of the benchmarks, such as `wire/server.js`. */
  readonly file: string
  readonly core: keyof Cores
  readonly args?: ReadonlyArray<string>
  readonly node?: ReadonlyArray<string>
}

/** Puts a command onto a core, where that is possible. */
export const bound = (core: keyof Cores, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  cores === undefined ? command : ["taskset", "-c", String(cores[core]), ...command]

const nextMessage = (child: ChildProcess, file: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit)
      resolve(message)
    }
    const onExit = (code: number | null) => {
      child.off("message", onMessage)
      reject(new Error(`${file} ended with ${code}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })

/** Starts a process, and gives its first message too. */
export const start = async ({
  args = [],
  core,
  file,
  node = []
}: Spawn): Promise<readonly [Started, unknown]> => {
  const path = fileURLToPath(new URL(`benchmarks/${file}`, built))
  const [command = "", ...rest] = bound(core, [process.execPath, ...node, path, ...args])
  const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  child.on("error", (error) => console.error(error.message))
  const first = await nextMessage(child, file)
  return [
    {
      ask: (message) => {
        const answer = nextMessage(child, file)
        child.send(message)
        return answer
      },
      stop: async () => {
        if (child.exitCode !== null) return
        const exited = once(child, "exit")
        child.disconnect()
        await exited
      }
    },
    first
  ]
}

/** What a process has to say once, and then it ends. */
export const result = async (options: Spawn): Promise<unknown> => {
  const [started, message] = await start(options)
  await started.stop()
  return message
}
