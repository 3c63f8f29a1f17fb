// The process of one client, which runs measurement windows on request. In a window, concurrent lanes make
// calls, and calls are counted after the warm-up.
import { setTimeout as sleep } from "node:timers/promises"
import type { Sample, Window } from "./calls.js"
import type { Drive } from "./clients/drive.js"
import { clients } from "./clients/index.js"
import { quantileOf } from "./format.js"
import { answer, cost } from "./worker.js"

const [name, port] = process.argv.slice(2)

const measure = async (
  drive: Drive,
  { concurrency, millis, operation, warmMillis }: Window
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
    counting = true
    const taken = await cost(() => Promise.race([sleep(millis), lanes]))
    counting = false
    return {
      cpuMicros: (taken.cpuMillis / latencies.length) * 1000,
      perSecond: (latencies.length / taken.millis) * 1000,
      p50Millis: quantileOf(latencies, 0.5),
      p99Millis: quantileOf(latencies, 0.99)
    }
  } finally {
    over = true
    await lanes
  }
}

const client = clients.find((one) => one.name === name)
const open = (await client?.load())?.[String(name)]
if (open === undefined) throw new Error(`Unknown client: ${name}`)
const drive = await open(Number(port))
answer((window: Window) => measure(drive, window))
