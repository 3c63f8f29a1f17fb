/**
 * Runs one of the programs in this folder in a process of its own.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

interface Limits {
  /** Options of Node. */
  readonly options?: ReadonlyArray<string>
  /** The time after which the process is killed, generous to a busy machine. */
  readonly limitMillis: number
}

export const run = async (
  program: string,
  { limitMillis, options = [] }: Limits,
  ...given: ReadonlyArray<string>
) => {
  const child = spawn(
    process.execPath,
    [...options, "--import", "tsx", fileURLToPath(new URL(program, import.meta.url)), ...given],
    // The directory in which `tsx` is installed.
    { cwd: fileURLToPath(new URL("../../../..", import.meta.url)), timeout: limitMillis }
  )
  const said = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (said.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (said.stderr += String(chunk)))
  const ended = await new Promise<number | string | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve(code ?? signal))
  })
  return { ...said, ended, lines: said.stdout.trim().split("\n") }
}
