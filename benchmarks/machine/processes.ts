// The benchmark processes: plain Node on the built files, each pinned to a core.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { built } from "./build.js"
import { cores, type Cores } from "./cores.js"

export interface Started {
  /** Sends a message and returns the reply. */
  readonly ask: (message: object) => Promise<unknown>
  readonly stop: () => Promise<void>
}

export interface Spawn {
  /** A file relative to the benchmarks, such as `wire/server.js`. */
  readonly file: string
  readonly core: keyof Cores
  readonly args?: ReadonlyArray<string>
  readonly node?: ReadonlyArray<string>
}

/** Pins a command to a core if possible. */
export const pinned = (core: keyof Cores, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  cores === undefined ? command : ["taskset", "-c", String(cores[core]), ...command]

const nextMessage = (child: ChildProcess, file: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit)
      resolve(message)
    }
    const onExit = (code: number | null) => {
      child.off("message", onMessage)
      reject(new Error(`${file} exited with ${code}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })

/** Starts a process, and returns it with its first message. */
export const start = async ({
  args = [],
  core,
  file,
  node = []
}: Spawn): Promise<readonly [Started, unknown]> => {
  const path = fileURLToPath(new URL(`benchmarks/${file}`, built))
  const [command = "", ...rest] = pinned(core, [process.execPath, ...node, path, ...args])
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

/** A process that reports what it has done so far, until it ends or is killed. */
export interface Watched {
  readonly pid: number
  /** Its first report. */
  readonly first: Promise<unknown>
  /** Its last report, and whether it came to its end. Rejects if the process fails. */
  readonly last: Promise<{ readonly report: unknown; readonly isWhole: boolean }>
  readonly kill: () => void
}

/** Runs a process on any core, and kills it after a time. Each report is a message. */
export const watch = (
  { args = [], file, node = [] }: Omit<Spawn, "core">,
  limitMillis: number
): Watched => {
  const path = fileURLToPath(new URL(`benchmarks/${file}`, built))
  const child = spawn(process.execPath, [...node, path, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const kill = () => void child.kill("SIGKILL")
  const limit = setTimeout(kill, limitMillis)
  let report: unknown
  child.on("message", (message) => (report = message))
  child.on("error", (error) => console.error(error.message))
  const first = nextMessage(child, file)
  const last = new Promise<Awaited<Watched["last"]>>((resolve, reject) =>
    child.once("close", (code) => {
      clearTimeout(limit)
      // A process that was killed has no code.
      if (code === null || code === 0) resolve({ report, isWhole: code === 0 })
      else reject(new Error(`${file} exited with ${code}`))
    })
  )
  // Not everybody awaits both.
  first.catch(() => undefined)
  last.catch(() => undefined)
  return { pid: child.pid ?? NaN, first, last, kill }
}

/** Runs a process that sends one message, and returns the message. */
export const result = async (options: Spawn): Promise<unknown> => {
  const [started, message] = await start(options)
  await started.stop()
  return message
}
