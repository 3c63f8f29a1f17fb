// Many waits for a payment at once.
import * as Effect from "effect/Effect"
import { kilobytes, number, table } from "./format.js"
import { server, start } from "./processes.js"

export interface Waits {
  readonly count: number
  readonly bytesEach: number
}

/** Starts waits, and returns the heap in bytes. */
export type Ask = { readonly count: number }

export const run = (count: number): Effect.Effect<Waits> =>
  Effect.gen(function* () {
    const { port, served } = yield* server()
    const node = ["--expose-gc", "--max-old-space-size=8192"]
    const { ask } = yield* start<Ask, number>("waitsWorker.js", [port], "client", node)
    /** The heap while more waits sleep, each after its first read. */
    const heapWith = (more: number) =>
      Effect.gen(function* () {
        const { requests } = yield* served
        yield* ask({ count: more })
        yield* served.pipe(
          Effect.delay("100 millis"),
          Effect.repeat({ until: (now) => now.requests >= requests + more })
        )
        yield* Effect.sleep("1 second")
        return yield* ask({ count: 0 })
      })
    const before = yield* heapWith(1000)
    return { count, bytesEach: ((yield* heapWith(count)) - before) / count }
  }).pipe(Effect.scoped)

export const tables = ({ bytesEach, count }: Waits): ReadonlyArray<string> => [
  "## Many waits at once",
  "Heap of each wait for a payment after a garbage collection, while all sleep.",
  table(["waits at once", "heap each"], [[number(count), kilobytes(bytesEach)]])
]
