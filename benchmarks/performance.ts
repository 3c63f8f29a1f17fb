// docs/performance.md: the goals, and the tables of all parts.
import type { Burst, Measured } from "./calls.js"
import * as calls from "./calls.js"
import { facts } from "./facts.js"
import { kilobytes, number, table } from "./format.js"
import type { Operation } from "./messages.js"
import { cores } from "./processes.js"
import * as size from "./size.js"
import type { Held, Kind } from "./waits.js"
import * as waits from "./waits.js"

/** The measurements. Parts that did not run are absent. */
export interface Report {
  readonly calls?: ReadonlyArray<Measured>
  readonly bursts?: ReadonlyArray<Burst>
  readonly size?: Awaited<ReturnType<typeof size.run>>
  readonly waits?: ReadonlyArray<Held>
}

interface Goal {
  readonly title: string
  readonly most: number
  readonly show: (value: number) => string
  readonly of: (report: Report) => number | undefined
}

const times = (value: number): string => `${number(value)} ×`

/** The ratio of a client's CPU time to another's at 64 in flight. */
const ratio =
  (client: string, operation: Operation, base = "undici") =>
  ({ calls }: Report): number | undefined => {
    const ratioOf = (name: string) =>
      calls?.find(
        (one) => one.client === name && one.operation === operation && one.concurrency === 64
      )?.ratio.median
    const [own, other] = [ratioOf(client), ratioOf(base)]
    return own === undefined || other === undefined ? undefined : own / other
  }

const held =
  (kind: Kind, of: "bytesEach" | "delayMillis") =>
  ({ waits }: Report) =>
    waits?.find((one) => one.kind === kind)?.[of]

const goals: ReadonlyArray<Goal> = [
  {
    title: "create, 64 in flight: CPU relative to raw undici",
    most: 1.3,
    show: times,
    of: ratio("manilla", "create")
  },
  {
    title: "the same with a token source of the user's own",
    most: 1.3,
    show: times,
    of: ratio("manilla-tokens", "create")
  },
  {
    title: "the same with a tracer",
    most: 2,
    show: times,
    of: ratio("manilla-traced", "create")
  },
  {
    title: "list of 100, 64 in flight, relative to raw undici",
    most: 1.3,
    show: times,
    of: ratio("manilla", "list")
  },
  {
    title: "create, 64 in flight, over `fetch`: relative to raw `fetch`",
    most: 1.3,
    show: times,
    of: ratio("manilla-fetch", "create", "fetch")
  },
  {
    title: "create, 64 in flight, from 200 ms after a pause on: relative to the steady stream",
    most: 1.1,
    show: times,
    of: ({ bursts }) => {
      const own = bursts?.find(({ client }) => client === "manilla")
      return own && own.burstMicros / own.steadyMicros
    }
  },
  {
    title: "connections opened by this burst of 64",
    most: 64,
    show: number,
    of: ({ bursts }) => bursts?.find(({ client }) => client === "manilla")?.connections
  },
  {
    title: "bundle: Payments, without Effect and `FetchHttpClient`, gzip",
    most: 20_000,
    show: kilobytes,
    of: ({ size: sizes }) => sizes && size.added(sizes, "payments")
  },
  {
    title: "heap per wait, with many at once",
    most: 4000,
    show: kilobytes,
    of: held("wait", "bytesEach")
  },
  {
    title: "delay of the event loop while these waits end, p99",
    most: 250,
    show: (value) => `${number(value)} ms`,
    of: held("wait", "delayMillis")
  },
  {
    title: "heap per create in flight",
    most: 8000,
    show: kilobytes,
    of: held("create", "bytesEach")
  }
]

const goalTable = (report: Report): string =>
  table(
    ["metric", "goal", "measured", ""],
    goals.map(({ most, of, show, title }) => {
      const value = of(report)
      return value === undefined
        ? [title, `≤ ${show(most)}`, "not measured", ""]
        : [title, `≤ ${show(most)}`, show(value), value <= most ? "met" : "missed"]
    })
  )

const packages = ["effect", "@effect/platform", "@effect/platform-node", "undici", "esbuild"]

export const markdown = (report: Report): string =>
  [
    "# Performance",
    `Written by \`npm run bench\`. The client and a server that answers immediately run on one machine. Use
the figures to compare clients, not to plan capacity.`,
    [
      ...facts(packages),
      ["Cores", cores ? "the server has one, the clients another" : "the processes are not bound"]
    ]
      .map(([what, value]) => `- ${what}: ${value}`)
      .join("\n"),
    "## Goals",
    goalTable(report),
    ...(report.calls === undefined ? [] : calls.tables(report.calls)),
    ...(report.bursts === undefined ? [] : calls.burstTable(report.bursts)),
    ...(report.size === undefined ? [] : size.tables(report.size)),
    ...(report.waits === undefined ? [] : waits.tables(report.waits))
  ].join("\n\n") + "\n"
