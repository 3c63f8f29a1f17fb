import { setTimeout as sleep } from "node:timers/promises"

const limitMillis = 10 * 60 * 1000

/** The heap after collections; the process needs `--expose-gc`. */
export const heapBytes = (): number => {
  if (globalThis.gc === undefined) throw new Error("The process needs --expose-gc")
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Begins to measure a start; its end gives what it took. */
export const startOf = (count: number) => {
  const startedMillis = performance.now()
  const startedCpu = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(startedCpu)
    return {
      startSeconds: (performance.now() - startedMillis) / 1000,
      startMicros: (user + system) / count
    }
  }
}

/** Waits until something holds, and fails when that takes too long. */
export const until = async (holds: () => boolean): Promise<void> => {
  const endMillis = performance.now() + limitMillis
  while (!holds()) {
    if (performance.now() > endMillis) throw new Error("It took longer than ten minutes")
    await sleep(20)
  }
}
