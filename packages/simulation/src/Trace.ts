/**
 * What happened in a run, line by line: to be read when it failed, and hashed to be compared. It is
 * put into words only when someone asks: most runs are never read.
 */
import { createHash } from "node:crypto"
import type { Time } from "./Time.js"

export interface Trace {
  readonly write: (who: string, what: string | (() => string)) => void
  readonly lines: () => ReadonlyArray<string>
  readonly hash: () => string
}

export const make = (time: Time): Trace => {
  const events: Array<readonly [atMillis: number, who: string, what: string | (() => string)]> = []
  const lines = () =>
    events.map(([atMillis, who, what]) => {
      const seconds = (atMillis / 1000).toFixed(3)
      const words = typeof what === "string" ? what : what()
      return `${seconds.padStart(9)} s  ${who.padEnd(12)}  ${words}`
    })
  return {
    write: (who, what) => {
      events.push([time.elapsedMillis(), who, what])
    },
    lines,
    hash: () => createHash("sha256").update(lines().join("\n")).digest("hex")
  }
}
