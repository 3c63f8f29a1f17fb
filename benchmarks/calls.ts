// The cost of calls: all clients take turns in short windows, each in its own process, against one server.
import { setTimeout as sleep } from "node:timers/promises"
import { baseline, clients, titleOf } from "./clients/index.js"
import { number, type Quartiles, quartiles, spread, table } from "./format.js"
import type { Operation } from "./messages.js"
import { start, type Worker } from "./processes.js"

export interface Cell {
  readonly operation: Operation
  readonly concurrency: number
}

/** A request for a measurement. */
export interface Window extends Cell {
  /** The warm-up time before the measurement. */
  readonly warmMillis: number
  readonly millis: number
}

export interface Sample {
  /** CPU time of all threads of the client's process, per call. */
  readonly cpuMicros: number
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
}

export interface Plan {
  readonly cells: ReadonlyArray<Cell>
  readonly rounds: number
  /** The warm-up time of each client before the first round of a cell. */
  readonly heatMillis: number
  readonly warmMillis: number
  readonly millis: number
  readonly progress: (line: string) => void
}

export interface Measured extends Cell {
  readonly client: string
  /** CPU time per call, relative to the baseline in a neighbouring window. */
  readonly ratio: Quartiles
  readonly cpuMicros: Quartiles
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
}

interface Client {
  readonly name: string
  readonly worker: Worker
}

/** Starts a server and clients, and stops them at the end. */
const withProcesses = async <A>(
  names: ReadonlyArray<string>,
  keepAliveSeconds: number,
  use: (all: ReadonlyArray<Client>, server: Worker) => Promise<A>
): Promise<A> => {
  const started: Array<Worker> = []
  const begin = async (...options: Parameters<typeof start>) => {
    const worker = await start(...options)
    started.push(worker)
    return worker
  }
  try {
    const server = await begin("server.js", [keepAliveSeconds], { core: "server" })
    const { port } = server.first as { readonly port: number }
    const all: Array<Client> = []
    for (const name of names) {
      const options = { core: "client" } as const
      all.push({ name, worker: await begin("callsWorker.js", [name, port], options) })
    }
    return await use(all, server)
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

const measure = async ({ worker }: Client, window: Window): Promise<Sample> =>
  (await worker.ask(window)) as Sample

/** Rotates the order in each round, so that the neighbours of a client vary. */
const rotated = <A>(all: ReadonlyArray<A>, by: number): ReadonlyArray<A> => [
  ...all.slice(by % all.length),
  ...all.slice(0, by % all.length)
]

/** The baseline is measured again after this many clients, because the machine's speed drifts. */
const neighbours = 3

const measureCell = async (
  all: ReadonlyArray<Client>,
  cell: Cell,
  { heatMillis, millis, rounds, warmMillis }: Plan
): Promise<ReadonlyArray<Measured>> => {
  const taken = new Map(all.map(({ name }) => [name, new Array<Sample & { ratio: number }>()]))
  const base = all.filter(({ name }) => name === baseline.name)
  const others = all.filter(({ name }) => name !== baseline.name)

  for (const client of all) await measure(client, { ...cell, warmMillis: heatMillis, millis: 1 })
  for (let round = 0; round < rounds; round++) {
    const order = rotated(others, round)
    for (let from = 0; from === 0 || from < order.length; from += neighbours) {
      let perCall = NaN
      for (const client of [...base, ...order.slice(from, from + neighbours)]) {
        const sample = await measure(client, { ...cell, warmMillis, millis })
        if (client.name === baseline.name) perCall = sample.cpuMicros
        taken.get(client.name)?.push({ ...sample, ratio: sample.cpuMicros / perCall })
      }
    }
  }
  return [...taken].map(([client, samples]) => {
    const of = (key: keyof Sample | "ratio") => quartiles(samples.map((sample) => sample[key]))
    return {
      ...cell,
      client,
      ratio: of("ratio"),
      cpuMicros: of("cpuMicros"),
      perSecond: of("perSecond").median,
      p50Millis: of("p50Millis").median,
      p99Millis: of("p99Millis").median
    }
  })
}

export const run = (plan: Plan): Promise<ReadonlyArray<Measured>> => {
  const names = clients.map(({ name }) => name)
  return withProcesses(names, 120, async (all) => {
    const measured: Array<Measured> = []
    for (const cell of plan.cells) {
      plan.progress(`${cell.operation}, ${cell.concurrency} in flight`)
      measured.push(...(await measureCell(all, cell, plan)))
    }
    return measured
  })
}

/** A burst of calls after a pause in which idle connections expire, beside a steady stream of them. */
export interface Burst {
  readonly client: string
  readonly steadyMicros: number
  /** CPU time per call from 200 ms after the pause on. */
  readonly burstMicros: number
  /** Connections that the server saw in the burst. */
  readonly connections: number
}

const stream = { operation: "create", concurrency: 64 } as const
const serverKeepAliveSeconds = 5
const pauseMillis = 6000

export const bursts = (millis: number): Promise<ReadonlyArray<Burst>> =>
  withProcesses([baseline.name, "manilla"], serverKeepAliveSeconds, async (all, server) => {
    const connected = async () => {
      const { connections } = (await server.ask({})) as { readonly connections: number }
      return connections
    }
    const measured: Array<Burst> = []
    for (const client of all) {
      const steady = await measure(client, { ...stream, warmMillis: 1000, millis })
      const before = await connected()
      await sleep(pauseMillis)
      const burst = await measure(client, { ...stream, warmMillis: 200, millis })
      measured.push({
        client: client.name,
        steadyMicros: steady.cpuMicros,
        burstMicros: burst.cpuMicros,
        connections: (await connected()) - before
      })
    }
    return measured
  })

const titles: Readonly<Record<Operation, string>> = {
  create: "Create",
  get: "Get",
  list: "List of 100"
}

const titleOfCell = ({ concurrency, operation }: Cell): string =>
  `${titles[operation]}, ${concurrency} in flight`

/** A table of all clients for an operation with a number of calls in flight. */
const cellTable = (all: ReadonlyArray<Measured>): string =>
  table(
    ["client", "relative to undici", "CPU per call", "calls per second", "p50 / p99"],
    all.map(({ client, cpuMicros, p50Millis, p99Millis, perSecond, ratio }) => [
      titleOf(client),
      spread(ratio),
      `${number(cpuMicros.median)} µs`,
      number(perSecond),
      `${number(p50Millis)} / ${number(p99Millis)} ms`
    ])
  )

export const tables = (measured: ReadonlyArray<Measured>): ReadonlyArray<string> => [
  "## Calls",
  `CPU time of the client's process per call, as a ratio to raw undici: median (quartiles). Each
client runs in its own process. In each round, the clients take turns, each for a short window. A window
of raw undici precedes every third of them; each window is compared with the last window of raw undici.
Calls per second are those with one core for the client.`,
  clients
    .filter(({ name }) => measured.some(({ client }) => client === name))
    .map(({ does, title }) => `- ${title}: ${does}`)
    .join("\n"),
  ...[...new Set(measured.map(titleOfCell))].flatMap((title) => [
    `### ${title}`,
    cellTable(measured.filter((one) => titleOfCell(one) === title))
  ])
]

export const burstTable = (all: ReadonlyArray<Burst>): ReadonlyArray<string> => [
  "## A burst after a pause",
  `64 creates in flight, a pause of ${pauseMillis / 1000} seconds, in which idle connections expire, and 64 again: CPU per call
of the steady stream and from 200 ms after the pause on, and the connections that were opened after it.`,
  table(
    ["client", "steady", "after the pause", "connections opened"],
    all.map(({ burstMicros, client, connections, steadyMicros }) => [
      titleOf(client),
      `${number(steadyMicros)} µs`,
      `${number(burstMicros)} µs`,
      String(connections)
    ])
  )
]
