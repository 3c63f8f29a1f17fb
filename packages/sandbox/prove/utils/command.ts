/**
 * The command `manilla-sandbox` in a process of its own.
 */
import { fileURLToPath } from "node:url"
import * as node from "./node.js"

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
export const tsx = new URL("../../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href

export const fromSource = ["--import", tsx, bin]

/** Runs the command until it ends. */
export const run = (args: ReadonlyArray<string>) => node.run([...fromSource, ...args])

export interface Started {
  /** The address of the main port. */
  readonly origin: string
  /** The printed `export` lines. */
  readonly exported: Readonly<Record<string, string>>
  /** Stops reading its output. */
  readonly closeOutput: () => void
  /** Signals the command, and waits for its end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<node.Ended>
}

/** Starts the command on free ports, and waits until it listens. */
export const start = (
  args: ReadonlyArray<string> = [],
  program: ReadonlyArray<string> = fromSource
) =>
  new Promise<Started>((resolve, reject) => {
    let hasStarted = false
    const all = [...program, "--port", "0", "--auth-port", "0", ...args]
    const ended = node.run(all, (stdout, kill, closeOutput) => {
      if (hasStarted || !stdout.includes("Control API:")) return
      hasStarted = true
      const lines = Array.from(stdout.matchAll(/^export (\w+)=(\S+)$/gm))
      const exported = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]))
      resolve({
        origin: new URL(exported["MANILLA_BASE_URL"] ?? "").origin,
        exported,
        closeOutput,
        stop: (signal = "SIGTERM") => {
          kill(signal)
          return ended
        }
      })
    })
    ended.then(({ stderr }) => reject(new Error(`the command ended early: ${stderr}`)), reject)
  })
