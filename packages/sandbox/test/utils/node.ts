/**
 * Programs that run in a Node of their own.
 */
import { spawn } from "node:child_process"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Sees the output of a program so far, and may signal it. */
export type Said = (stdout: string, kill: (signal: NodeJS.Signals) => void) => void

export const run = (args: ReadonlyArray<string>, said: Said = () => {}) =>
  new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, args)
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk)
      said(stdout, (signal) => child.kill(signal))
    })
    child.stderr.on("data", (chunk) => {
      stderr += String(chunk)
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
