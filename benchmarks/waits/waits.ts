// Many concurrent waits: their heap while all of them sleep, and how late they end.
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Random from "effect/Random"
import { quantile } from "../report/statistics.js"
import type { Held } from "./Held.js"
import { heapBytes, startOf, until } from "./heap.js"
import * as stub from "./stub.js"
import * as subject from "./subject.js"

/** Delays have jitter between half and full: this selects the full delay. */
const wholePause = Random.fixed([1 - 2 ** -20])

/** The default cap of a `WaitPolicy`, used unless the start of all waits takes longer. */
const leastPauseSeconds = 15
const warmUps = 2000
const warmRounds = 3

/** Shorter than the deadline of a wait, and longer than any measurement. */
const longPauseMillis = 50 * 60 * 1000

/** Bounds the duration of the measurement on slow machines. */
const mostPauseSeconds = 120

/** The tolerance for a clock with millisecond resolution. */
const earlyMillis = 5

/** An evenly distributed fraction in [0, 1) for each number. */
const spread = (number: number): number => (number * 0.618_033_988_749_895) % 1

/** Prepares waits over a stub. The last warm-up estimates the start time. */
const prepare = async (count: number) => {
  let isSettled = false
  const readAt = new Float64Array(Math.max(count, warmUps))
  let firstReads = 0
  const runtime = ManagedRuntime.make(
    subject.layer(stub.lean, (path) => {
      const [answer, number] = subject.read(path, isSettled)
      if (isSettled) return answer
      const onDelivery = () => {
        if (readAt[number] === 0) firstReads++
        readAt[number] = performance.now()
      }
      return { ...answer, onDelivery }
    })
  )

  /** Starts waits. `end` returns their sorted lateness after all have ended. */
  const begin = async (waits: number, pauseMillis: number) => {
    const late: Array<number> = []
    const started = startOf(waits)
    isSettled = false
    firstReads = 0
    readAt.fill(0)
    const one = (number: number) => {
      // From half to full, like random jitter, but deterministic, so that the due time is known.
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

/** The heap per wait while all sleep. No wait reads again before the measurement. */
export const heap = async (count: number): Promise<Held> => {
  const { begin } = await prepare(count)
  const before = heapBytes()
  const { start } = await begin(count, longPauseMillis)
  return { kind: "wait", count, bytesEach: (heapBytes() - before) / count, ...start }
}

/** The lateness of each wait. A client that cannot keep up with the reads is later. */
export const lateness = async (count: number): Promise<Held> => {
  const { begin, expectedSeconds } = await prepare(count)
  // The shortest pause is half of it, in which all waits must start. A start takes longer beside 100,000 waits
  // than in the warm-up.
  const neededSeconds = Math.ceil(2 * (2 * expectedSeconds + 1))
  const pauseSeconds = Math.min(mostPauseSeconds, Math.max(leastPauseSeconds, neededSeconds))
  const { end, start } = await begin(count, pauseSeconds * 1000)
  // The garbage of the starts is not a part of the lateness either.
  heapBytes()
  const late = await end()
  if (quantile(late, 0) < -earlyMillis) throw new Error("A wait ended before its next read was due")
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
