// One measurement window: concurrent lanes make calls, and calls are counted after the warm-up.
import { writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { getHeapStatistics } from "node:v8"
import { setTimeout as sleep } from "node:timers/promises"
import type { Drive } from "../candidates/drive.js"
import { quantile } from "../report/statistics.js"
import type { Sample, Window } from "./Sample.js"

const heapEveryMillis = 5

/** Samples the heap size, and returns its peak. */
const watchHeap = () => {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, getHeapStatistics().used_heap_size)
  }, heapEveryMillis)
  return () => {
    clearInterval(timer)
    return Math.max(peak, getHeapStatistics().used_heap_size)
  }
}

/** Starts a CPU profile. The returned function stops it and writes the file. */
const profiled = async (file: string | undefined): Promise<() => Promise<void>> => {
  if (file === undefined) return () => Promise.resolve()
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 200 })
  await session.post("Profiler.start")
  return async () => {
    const { profile } = await session.post("Profiler.stop")
    session.disconnect()
    writeFileSync(file, JSON.stringify(profile))
  }
}

export const run = async (
  drive: Drive,
  { concurrency, millis, operation, profile, warmMillis }: Window
): Promise<Sample> => {
  const latencies: Array<number> = []
  let counting = false
  let over = false
  const lane = {
    more: () => !over,
    ended: (startedMillis: number) => {
      if (counting) latencies.push(performance.now() - startedMillis)
    }
  }
  const lanes = Promise.all(Array.from({ length: concurrency }, () => drive(operation, lane)))
  try {
    // A failing lane ends the window immediately.
    await Promise.race([sleep(warmMillis), lanes])
    const endProfile = await profiled(profile)
    const peakHeap = watchHeap()
    counting = true
    const startedMillis = performance.now()
    const startedCpu = process.cpuUsage()
    await Promise.race([sleep(millis), lanes])
    const { system, user } = process.cpuUsage(startedCpu)
    const seconds = (performance.now() - startedMillis) / 1000
    counting = false
    const peakHeapBytes = peakHeap()
    await endProfile()
    latencies.sort((one, other) => one - other)
    return {
      calls: latencies.length,
      seconds,
      cpuMicros: user + system,
      p50Millis: quantile(latencies, 0.5),
      p99Millis: quantile(latencies, 0.99),
      peakHeapBytes
    }
  } finally {
    over = true
    await lanes
  }
}
