/**
 * The timeline of a run, to read after a failure and to hash for comparison. Lines are rendered on
 * demand, because most timelines are never read.
 */
import { createHash } from "node:crypto"
import type { Time } from "@manilla/test-support/Time"

export interface Trace {
  readonly write: (source: string, event: string | (() => string)) => void
  readonly lines: () => ReadonlyArray<string>
  readonly hash: () => string
}

export const make = (time: Time): Trace => {
  const events: Array<readonly [atMillis: number, source: string, event: string | (() => string)]> =
    []
  const lines = () =>
    events.map(([atMillis, source, event]) => {
      const seconds = (atMillis / 1000).toFixed(3)
      const words = typeof event === "string" ? event : event()
      return `${seconds.padStart(9)} s  ${source.padEnd(12)}  ${words}`
    })
  return {
    write: (source, event) => {
      events.push([time.elapsedMillis(), source, event])
    },
    lines,
    hash: () => createHash("sha256").update(lines().join("\n")).digest("hex")
  }
}
