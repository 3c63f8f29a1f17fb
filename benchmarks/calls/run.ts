// Measures all candidates in rounds, each in its own process, against one server.
import { baseline, candidates, type Candidate } from "../candidates/index.js"
import { start, type Started } from "../machine/processes.js"
import { median, type Quartiles, quartiles } from "../report/statistics.js"
import type { Operation } from "../wire/messages.js"
import type { Ready, Retained, Sample, Window } from "./Sample.js"

export interface Cell {
  readonly operation: Operation
  readonly concurrency: number
}

export interface Plan {
  readonly cells: ReadonlyArray<Cell>
  readonly rounds: number
  /** The warm-up time of each candidate before the first round of a cell. */
  readonly heatMillis: number
  readonly warmMillis: number
  readonly millis: number
  /** Names of candidates. Defaults to all. The baseline is always included. */
  readonly only?: ReadonlyArray<string> | undefined
  readonly progress: (line: string) => void
}

export interface Measured extends Cell {
  readonly candidate: string
  /** CPU time per call, relative to the baseline in a neighbouring window. */
  readonly ratio: Quartiles
  readonly cpuMicros: Quartiles
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly peakHeapBytes: number
}

export interface Results {
  readonly measured: ReadonlyArray<Measured>
  readonly retained: Readonly<Record<string, number>>
  readonly skipped: Readonly<Record<string, string>>
}

export interface Client {
  readonly candidate: Candidate
  readonly window: (window: Window) => Promise<Sample>
  readonly retained: () => Promise<Retained>
  readonly stop: () => Promise<void>
}

/** Starts the server and returns its port. */
export const startServer = async (): Promise<readonly [Started, number]> => {
  const [server, first] = await start({ file: "wire/server.js", core: "server" })
  return [server, (first as { readonly port: number }).port]
}

/** Starts the process of a candidate, or returns why it must be skipped. */
export const startClient = async (candidate: Candidate, port: number): Promise<Client | string> => {
  const [started, first] = await start({
    file: "calls/worker.js",
    core: "client",
    node: ["--expose-gc"],
    args: [candidate.name, String(port)]
  })
  const ready = first as Ready
  if ("skipped" in ready) {
    await started.stop()
    return ready.skipped
  }
  return {
    candidate,
    window: async (window) => (await started.ask(window)) as Sample,
    retained: async () => (await started.ask({ retained: true })) as Retained,
    stop: started.stop
  }
}

const cpuPerCall = ({ calls, cpuMicros }: Sample): number => cpuMicros / calls

/** Rotates the order in each round, so that the neighbours of a candidate vary. */
const rotated = <A>(all: ReadonlyArray<A>, by: number): ReadonlyArray<A> => [
  ...all.slice(by % all.length),
  ...all.slice(0, by % all.length)
]

/** The baseline is measured again after this many candidates, because the machine's speed drifts. */
const neighbours = 3

interface Taken {
  readonly sample: Sample
  /** CPU time per call, relative to the preceding baseline window. */
  readonly ratio: number
}

const measureCell = async (
  clients: ReadonlyArray<Client>,
  cell: Cell,
  { heatMillis, millis, rounds, warmMillis }: Plan
): Promise<ReadonlyArray<Measured>> => {
  const taken = new Map<string, Array<Taken>>(clients.map(({ candidate }) => [candidate.name, []]))
  const base = clients.filter(({ candidate }) => candidate.name === baseline.name)
  const others = clients.filter(({ candidate }) => candidate.name !== baseline.name)

  for (const { window } of clients) await window({ ...cell, warmMillis: heatMillis, millis: 1 })
  for (let round = 0; round < rounds; round++) {
    const order = rotated(others, round)
    for (let from = 0; from === 0 || from < order.length; from += neighbours) {
      let perCall = NaN
      for (const { candidate, window } of [...base, ...order.slice(from, from + neighbours)]) {
        const sample = await window({ ...cell, warmMillis, millis })
        if (candidate.name === baseline.name) perCall = cpuPerCall(sample)
        taken.get(candidate.name)?.push({ sample, ratio: cpuPerCall(sample) / perCall })
      }
    }
  }
  return [...taken].map(([candidate, all]) => ({
    ...cell,
    candidate,
    ratio: quartiles(all.map(({ ratio }) => ratio)),
    cpuMicros: quartiles(all.map(({ sample }) => cpuPerCall(sample))),
    perSecond: median(all.map(({ sample }) => sample.calls / sample.seconds)),
    p50Millis: median(all.map(({ sample }) => sample.p50Millis)),
    p99Millis: median(all.map(({ sample }) => sample.p99Millis)),
    peakHeapBytes: Math.max(...all.map(({ sample }) => sample.peakHeapBytes))
  }))
}

export const run = async (plan: Plan): Promise<Results> => {
  const { cells, only, progress } = plan
  const [server, port] = await startServer()
  const clients: Array<Client> = []
  const skipped: Record<string, string> = {}
  try {
    for (const candidate of candidates) {
      const isWanted = only?.includes(candidate.name) ?? true
      if (!isWanted && candidate.name !== baseline.name) continue
      const client = await startClient(candidate, port)
      if (typeof client === "string") {
        skipped[candidate.name] = client
        progress(`${candidate.name} skipped: ${client}`)
      } else {
        clients.push(client)
      }
    }
    const measured: Array<Measured> = []
    for (const cell of cells) {
      progress(`${cell.operation}, ${cell.concurrency} in flight`)
      measured.push(...(await measureCell(clients, cell, plan)))
    }
    const retained: Record<string, number> = {}
    for (const client of clients) {
      retained[client.candidate.name] = (await client.retained()).retainedBytes
    }
    return { measured, retained, skipped }
  } finally {
    await Promise.all([server, ...clients].map(({ stop }) => stop()))
  }
}
