// The cost of calls: all clients take turns in short windows, each in its own process, against one server.
import * as Arr from "effect/Array"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { baseline, clients, titleOf } from "./clients/index.js"
import { median, micros, millis, number, spread, table } from "./format.js"
import type { Operation } from "./messages.js"
import { server, start, type Worker } from "./processes.js"

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
  /** How often the processes of the clients start. The compiled code of two processes differs, and their cost too. */
  readonly starts: number
  /** The rounds of each start. */
  readonly rounds: number
  /** The warm-up time of each client before the first round of a cell. */
  readonly heatMillis: number
  readonly warmMillis: number
  readonly millis: number
}

/** The windows of a client in a cell. */
export interface Measured extends Cell {
  readonly client: string
  readonly samples: ReadonlyArray<Sample>
  /** CPU time per call, relative to the baseline in a neighbouring window. */
  readonly ratios: ReadonlyArray<number>
}

interface Client {
  readonly name: string
  readonly measure: Worker<Window, Sample>["ask"]
}

const startClients = (names: ReadonlyArray<string>, port: number) =>
  Effect.forEach(names, (name) =>
    Effect.map(
      start<Window, Sample>("callsWorker.js", [name, port], "client"),
      ({ ask }): Client => ({ name, measure: ask })
    )
  )

/** The baseline is measured again after this many clients, because the machine's speed drifts. */
const neighbours = 3

const measureCell = (
  all: ReadonlyArray<Client>,
  cell: Cell,
  { heatMillis, millis, rounds, warmMillis }: Plan
) =>
  Effect.gen(function* () {
    const taken = new Map(all.map(({ name }) => [name, new Array<Sample & { ratio: number }>()]))
    const base = all.filter(({ name }) => name === baseline.name)
    const others = all.filter(({ name }) => name !== baseline.name)

    for (const { measure } of all) yield* measure({ ...cell, warmMillis: heatMillis, millis: 1 })
    for (let round = 0; round < rounds; round++) {
      // The neighbours of a client vary.
      for (const next of Arr.chunksOf(Arr.rotate(others, round), neighbours)) {
        let perCall = NaN
        for (const { measure, name } of [...base, ...next]) {
          const sample = yield* measure({ ...cell, warmMillis, millis })
          if (name === baseline.name) perCall = sample.cpuMicros
          taken.get(name)?.push({ ...sample, ratio: sample.cpuMicros / perCall })
        }
      }
    }
    return [...taken].map(([client, samples]): Measured => ({
      ...cell,
      client,
      samples,
      ratios: samples.map(({ ratio }) => ratio)
    }))
  })

/** All cells, with new processes. */
const measureAll = (plan: Plan, port: number) =>
  Effect.gen(function* () {
    const all = yield* startClients(
      clients.map(({ name }) => name),
      port
    )
    const measured = yield* Effect.forEach(plan.cells, (cell) =>
      Effect.zipRight(Console.error(titleOfCell(cell)), measureCell(all, cell, plan))
    )
    return measured.flat()
  }).pipe(Effect.scoped)

export const run = (plan: Plan) =>
  Effect.gen(function* () {
    const { port } = yield* server()
    const measured = (yield* Effect.all(Arr.replicate(measureAll(plan, port), plan.starts))).flat()
    const keyOf = ({ client, ...cell }: Measured) => `${titleOfCell(cell)}: ${client}`
    return Object.values(Arr.groupBy(measured, keyOf)).map((all): Measured => ({
      ...all[0],
      samples: all.flatMap(({ samples }) => samples),
      ratios: all.flatMap(({ ratios }) => ratios)
    }))
  }).pipe(Effect.scoped)

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
const pauseSeconds = 6

export const bursts = (millis: number) =>
  Effect.gen(function* () {
    const { port, served } = yield* server(serverKeepAliveSeconds)
    const all = yield* startClients([baseline.name, "manilla"], port)
    return yield* Effect.forEach(all, ({ measure, name }) =>
      Effect.gen(function* () {
        const steady = yield* measure({ ...stream, warmMillis: 1000, millis })
        const before = yield* served
        yield* Effect.sleep(pauseSeconds * 1000)
        const burst = yield* measure({ ...stream, warmMillis: 200, millis })
        const measured: Burst = {
          client: name,
          steadyMicros: steady.cpuMicros,
          burstMicros: burst.cpuMicros,
          connections: (yield* served).connections - before.connections
        }
        return measured
      })
    )
  }).pipe(Effect.scoped)

const titles = { create: "Create", list: "List of 100" }

const titleOfCell = ({ concurrency, operation }: Cell): string =>
  `${titles[operation]}, ${concurrency} in flight`

/** A table of all clients for an operation with a number of calls in flight. */
const cellTable = (all: ReadonlyArray<Measured>): string =>
  table(
    ["client", "relative to undici", "CPU per call", "calls per second", "p50 / p99"],
    all.map(({ client, ratios, samples }) => {
      const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]))
      return [
        titleOf(client),
        spread(ratios),
        micros(of("cpuMicros")),
        number(of("perSecond")),
        `${number(of("p50Millis"))} / ${millis(of("p99Millis"))}`
      ]
    })
  )

export const tables = (measured: ReadonlyArray<Measured>): ReadonlyArray<string> => [
  "## Calls",
  `CPU time of the client's process per call, as a ratio to raw undici: median (quartiles). Each
client runs in its own process. In each round, the clients take turns, each for a short window. A window
of raw undici precedes every third of them; each window is compared with the last window of raw undici.
Calls per second are those with one core for the client.`,
  `undici and \`fetch\` send the request and parse the response. Effect's client also has a Schema, a timeout and a
retry. Manilla validates both, and has typed errors, retries, deadlines, redaction and metrics.`,
  ...[...new Set(measured.map(titleOfCell))].flatMap((title) => [
    `### ${title}`,
    cellTable(measured.filter((one) => titleOfCell(one) === title))
  ])
]

export const burstTable = (all: ReadonlyArray<Burst>): ReadonlyArray<string> => [
  "## A burst after a pause",
  `64 creates in flight, a pause of ${pauseSeconds} seconds, in which idle connections expire, and 64 again: CPU per call
of the steady stream and from 200 ms after the pause on, and the connections that were opened after it.`,
  table(
    ["client", "steady", "after the pause", "connections opened"],
    all.map(({ burstMicros, client, connections, steadyMicros }) => [
      titleOf(client),
      micros(steadyMicros),
      micros(burstMicros),
      String(connections)
    ])
  )
]
