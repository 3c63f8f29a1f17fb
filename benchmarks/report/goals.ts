// What Manilla aims at, beside what was measured. Nothing fails when a goal is missed.
import { added } from "../size/run.js"
import type { Kind } from "../waits/Held.js"
import type { Operation } from "../wire/messages.js"
import { kilobytes, number, table } from "./format.js"
import type { Report } from "./Report.js"

interface Goal {
  readonly title: string
  readonly most: number
  readonly show: (value: number) => string
  readonly of: (report: Report) => number | undefined
}

const times = (value: number): string => `${number(value)} ×`
const millis = (value: number): string => `${number(value)} ms`

/** The ratio to raw undici at 64 in flight. */
const ratio =
  (candidate: string, operation: Operation) =>
  ({ calls }: Report): number | undefined =>
    calls?.measured.find(
      (one) => one.candidate === candidate && one.operation === operation && one.concurrency === 64
    )?.ratio.median

const held =
  (kind: Kind) =>
  ({ waits }: Report) =>
    waits?.find((one) => one.kind === kind)

const goals: ReadonlyArray<Goal> = [
  {
    title: "create, 64 in flight, lean: CPU beside raw undici",
    most: 1.6,
    show: times,
    of: ratio("manilla-lean", "create")
  },
  {
    title: "the same with a tracer that listens",
    most: 2,
    show: times,
    of: ratio("manilla-traced", "create")
  },
  {
    title: "create, 64 in flight, over `NodeHttpClient.layerUndici`",
    most: 6.5,
    show: times,
    of: ratio("manilla-undici", "create")
  },
  {
    title: "list of 100, 64 in flight, lean",
    most: 1.5,
    show: times,
    of: ratio("manilla-lean", "list")
  },
  {
    title: "decode of 100 rows beside `JSON.parse`",
    most: 0.5,
    show: times,
    of: ({ decode }) =>
      decode?.find(
        ({ decoder, document }) => decoder.startsWith("Manilla") && document === "page of 100"
      )?.ratio.median
  },
  {
    title: "bundle: Payments beyond Effect and `FetchHttpClient`, gzip",
    most: 20_000,
    show: kilobytes,
    of: ({ size }) => size && added(size, "payments")?.whole
  },
  {
    title: "of which ours, compressed alone",
    most: 12_000,
    show: kilobytes,
    of: ({ size }) => size && added(size, "payments")?.own
  },
  {
    title: "heap of a wait, with many at once",
    most: 4000,
    show: kilobytes,
    of: (report) => held("wait")(report)?.bytesEach
  },
  {
    title: "how late a wait ends, p99",
    most: 250,
    show: millis,
    of: (report) => held("late")(report)?.late?.p99Millis
  },
  {
    title: "heap of a create in flight, lean",
    most: 8000,
    show: kilobytes,
    of: (report) => held("create")(report)?.bytesEach
  }
]

export const goalTable = (report: Report): string =>
  table(
    ["what", "goal", "measured", ""],
    goals.map(({ most, of, show, title }) => {
      const value = of(report)
      return [
        title,
        `≤ ${show(most)}`,
        value === undefined ? "not measured" : show(value),
        value === undefined ? "" : value <= most ? "met" : "missed"
      ]
    })
  )
