/**
 * Runs programs in a separate Node process.
 */
import { spawn } from "node:child_process"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Receives the output so far, and may signal the program or stop reading its output. */
export type OnOutput = (
  stdout: string,
  kill: (signal: NodeJS.Signals) => void,
  closeOutput: () => void
) => void

export const run = (args: ReadonlyArray<string>, onOutput: OnOutput = () => {}) =>
  new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, args)
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk)
      onOutput(
        stdout,
        (signal) => child.kill(signal),
        () => child.stdout.destroy()
      )
    })
    child.stderr.on("data", (chunk) => {
      stderr += String(chunk)
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
