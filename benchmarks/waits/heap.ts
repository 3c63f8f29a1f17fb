import { setTimeout as sleep } from "node:timers/promises"

const limitMillis = 10 * 60 * 1000

/** The heap size after garbage collection. Requires `--expose-gc`. */
export const heapBytes = (): number => {
  if (globalThis.gc === undefined) throw new Error("The process requires --expose-gc")
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Starts a measurement. The returned function returns the elapsed time and the CPU time per item. */
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

/** Waits until a condition holds, and fails after ten minutes. */
export const until = async (holds: () => boolean): Promise<void> => {
  const endMillis = performance.now() + limitMillis
  while (!holds()) {
    if (performance.now() > endMillis)
      throw new Error("The condition did not hold within ten minutes")
    await sleep(20)
  }
}
