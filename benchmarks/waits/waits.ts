// Many waits at once: what each of them holds while all sleep, and, of others, how late they end.
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Random from "effect/Random"
import { quantile } from "../report/statistics.js"
import type { Held } from "./Held.js"
import { heapBytes, startOf, until } from "./heap.js"
import * as stub from "./stub.js"
import * as subject from "./subject.js"

/** Pauses are drawn between half of their length and the whole: this draws the whole. */
const wholePause = Random.fixed([1 - 2 ** -20])

/** No wait pauses longer than a `WaitPolicy` does by itself, unless starting them takes longer. */
const leastPauseSeconds = 15
const warmUps = 2000
const warmRounds = 3

/** Below the deadline of a wait, and above what any measurement takes. */
const longPauseMillis = 50 * 60 * 1000

/** However slow the machine is: it bounds how long the measurement takes. */
const mostPauseSeconds = 90

/** What a clock that counts whole milliseconds may be off by. */
const earlyMillis = 5

/** A part in [0, 1) for each number, spread evenly in any order of starts. */
const spread = (number: number): number => (number * 0.618_033_988_749_895) % 1

/** Waits over a stub, warmed up; the last warm-up tells how long a start takes. */
const prepare = async (count: number) => {
  let isSettled = false
  const readAt = new Float64Array(Math.max(count, warmUps))
  let firstReads = 0
  const runtime = ManagedRuntime.make(
    subject.layer(stub.lean, (path) => {
      const [answer, number] = subject.read(path, isSettled)
      if (!isSettled) {
        if (readAt[number] === 0) firstReads++
        readAt[number] = performance.now()
      }
      return answer
    })
  )

  /** Starts waits, and gives how late each was once all have ended. */
  const begin = async (waits: number, pauseMillis: number) => {
    const late: Array<number> = []
    const started = startOf(waits)
    isSettled = false
    firstReads = 0
    readAt.fill(0)
    const one = (number: number) => {
      // Half of it to the whole, as by chance; but known, to tell when the next read is due.
      const ownPause = Math.ceil(pauseMillis * (0.5 + spread(number) / 2))
      return Effect.map(subject.wait(number, ownPause), () => {
        late.push(performance.now() - (readAt[number] ?? NaN) - ownPause)
      })
    }
    await runtime.runPromise(
      Effect.withRandom(
        Effect.forEach(
          Array.from({ length: waits }, (_, number) => number),
          (number) => Effect.forkDaemon(one(number)),
          { discard: true }
        ),
        wholePause
      )
    )
    await until(() => firstReads >= waits)
    const start = started()
    return {
      start,
      end: async (): Promise<ReadonlyArray<number>> => {
        isSettled = true
        await until(() => late.length >= waits)
        return late.sort((one, other) => one - other)
      }
    }
  }

  let warmSeconds = 0
  for (let round = 0; round < warmRounds; round++) {
    const warm = await begin(warmUps, 500)
    await warm.end()
    warmSeconds = warm.start.startSeconds
  }
  return { begin, expectedSeconds: (warmSeconds * count) / warmUps }
}

/** The heap of each while all of them sleep: none is read again before it is measured. */
export const heap = async (count: number): Promise<Held> => {
  const { begin } = await prepare(count)
  const before = heapBytes()
  const { start } = await begin(count, longPauseMillis)
  return { kind: "wait", count, bytesEach: (heapBytes() - before) / count, ...start }
}

/** How late each ends. A client that cannot read as often as it is to is late all the more. */
export const lateness = async (count: number): Promise<Held> => {
  const { begin, expectedSeconds } = await prepare(count)
  // Long enough for all to have started, so that what is measured is a wait and not a start.
  const neededSeconds = Math.ceil(2 * (1.25 * expectedSeconds + 1))
  const pauseSeconds = Math.min(mostPauseSeconds, Math.max(leastPauseSeconds, neededSeconds))
  const { end, start } = await begin(count, pauseSeconds * 1000)
  const late = await end()
  if (quantile(late, 0) < -earlyMillis) throw new Error("A wait pauses less than is thought")
  return {
    kind: "late",
    count,
    ...start,
    late: {
      p50Millis: quantile(late, 0.5),
      p99Millis: quantile(late, 0.99),
      mostMillis: quantile(late, 1),
      pauseSeconds
    }
  }
}
