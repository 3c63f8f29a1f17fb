/**
 * What happened in a run, line by line: to be read when it failed, and hashed to be compared.
 */
import { createHash } from "node:crypto"
import type { Time } from "./Time.js"

export interface Trace {
  readonly write: (who: string, what: string) => void
  readonly lines: ReadonlyArray<string>
  readonly hash: () => string
}

export const make = (time: Time): Trace => {
  const lines: Array<string> = []
  return {
    lines,
    write: (who, what) => {
      const seconds = (time.elapsedMillis() / 1000).toFixed(3)
      lines.push(`${seconds.padStart(9)} s  ${who.padEnd(12)}  ${what}`)
    },
    hash: () => createHash("sha256").update(lines.join("\n")).digest("hex")
  }
}
