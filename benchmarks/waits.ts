// Many concurrent waits for payments, and creates in flight, each kind in a process of its own.
import { kilobytes, number, table, whole } from "./format.js"
import { result } from "./processes.js"

/** The kinds of pending effects. */
export const kinds = {
  wait: "a wait for a payment",
  create: "a create in flight"
} as const

export type Kind = keyof typeof kinds

export interface Held {
  readonly kind: Kind
  readonly count: number
  readonly bytesEach: number
  /** CPU time per start; for waits, including their first reads. */
  readonly startMicros: number
  /** The p99 of the delay of the event loop while all waits end. */
  readonly delayMillis?: number
}

const creates = 1000

export const run = async (
  waits: number,
  progress: (line: string) => void
): Promise<ReadonlyArray<Held>> => {
  const all: Array<Held> = []
  for (const [kind, title] of Object.entries(kinds)) {
    const count = kind === "create" ? creates : waits
    progress(`${count} times ${title}`)
    const held = await result("waitsWorker.js", [kind, count], {
      core: "client",
      node: ["--expose-gc", "--max-old-space-size=8192"]
    })
    all.push(held as Held)
  }
  return all
}

export const tables = (all: ReadonlyArray<Held>): ReadonlyArray<string> => [
  "## Many concurrent waits and calls",
  `Heap per wait after a garbage collection, while all waits sleep, and heap per create whose answer
never comes. Then all payments become final, and the delay of the event loop is measured until the last wait has
ended.`,
  table(
    ["at once", "", "heap each", "CPU to start each", "delay of the event loop, p99"],
    all.map(({ bytesEach, count, delayMillis, kind, startMicros }) => [
      whole(count),
      kinds[kind],
      kilobytes(bytesEach),
      `${number(startMicros)} µs`,
      delayMillis === undefined ? "" : `${number(delayMillis)} ms`
    ])
  )
]
