// Manilla's performance goals, compared with the measurements. A missed goal fails nothing.
import * as lines from "../size/lines.js"
import { added } from "../size/run.js"
import type { Kind } from "../waits/Held.js"
import type { Operation } from "../wire/messages.js"
import { kilobytes, number, table } from "./format.js"
import type { Report } from "./Report.js"

interface Goal {
  readonly title: string
  /** Absent for a row that only informs. */
  readonly most?: number
  readonly show: (value: number) => string
  readonly of: (report: Report) => number | undefined
  /** The cause of a miss, as the profiles and the size tables show it. */
  readonly limit?: string
}

const times = (value: number): string => `${number(value)} ×`
const millis = (value: number): string => `${number(value)} ms`
const whole = (value: number): string => value.toLocaleString("en")

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
    title: "create, 64 in flight, lean: CPU relative to raw undici",
    most: 1.6,
    show: times,
    of: ratio("manilla-lean", "create")
  },
  {
    title: "the same with a tracer",
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
    of: ratio("manilla-lean", "list"),
    limit: `\`JSON.parse\` and the decoding of the bytes take about half of a call, and raw undici pays them too.
The checks of 100 rows take most of the rest: every string of every row is tested against its pattern.`
  },
  {
    title: "checking 100 rows, relative to `JSON.parse`",
    most: 0.5,
    show: times,
    of: ({ decode }) =>
      decode?.find(
        ({ decoder, document }) => decoder.startsWith("Manilla") && document === "page of 100"
      )?.ratio.median
  },
  {
    title: "bundle: Payments, without Effect and `FetchHttpClient`, gzip",
    most: 20_000,
    show: kilobytes,
    of: ({ size }) => size && added(size, "payments")?.whole,
    limit: `The tables below show it by package: Manilla's own code, and the parts of \`effect/Schema\` that error classes
and explanations of invalid data use. The SHA-256 of derived keys takes 2 kB, because Web Crypto has no synchronous one.`
  },
  {
    title: "of this, Manilla's own code, compressed alone",
    most: 12_000,
    show: kilobytes,
    of: ({ size }) => size && added(size, "payments")?.own,
    limit: `Messages and schemas take more than half: every error names the host, the attempts, the outcome and the next step, and
every field has the text of its rule.`
  },
  {
    title: "heap per wait, with many at once",
    most: 4000,
    show: kilobytes,
    of: (report) => held("wait")(report)?.bytesEach,
    limit: `A bare fiber that sleeps takes most of it (see the table of waits). A wait without a fiber could not be an
\`Effect\` that its caller interrupts.`
  },
  {
    title: "delay of a wait's end, p99",
    most: 250,
    show: millis,
    of: (report) => held("late")(report)?.late?.p99Millis
  },
  {
    title: "heap per create in flight, lean",
    most: 8000,
    show: kilobytes,
    of: (report) => held("create")(report)?.bytesEach,
    limit: `A bare pending fiber takes half of it (see the table of waits), the encoded request and its headers most of the rest.`
  },
  {
    title: "lines of `packages/core/src`",
    most: 4000,
    show: whole,
    of: lines.all,
    limit: `More than a third are comments and blank lines: every export has its units, its limits and its errors beside it.
The code has grown from 2,996 lines when the goal was set: the lean transport, the guards, and the defences that
[the fault model](fault-model.md) lists took more than was removed.`
  },
  {
    title: "of these, without comments and blank lines",
    show: whole,
    of: lines.ofCode
  }
]

export const goalTable = (report: Report): string =>
  table(
    ["metric", "goal", "measured", ""],
    goals.map(({ most, of, show, title }) => {
      const value = of(report)
      return [
        title,
        most === undefined ? "" : `≤ ${show(most)}`,
        value === undefined ? "not measured" : show(value),
        value === undefined || most === undefined ? "" : value <= most ? "met" : "missed"
      ]
    })
  )

/** The causes of missed goals. */
export const missedReasons = (report: Report): ReadonlyArray<string> => {
  const missed = goals.flatMap(({ limit, most, of, title }) => {
    const value = of(report)
    return limit === undefined || value === undefined || most === undefined || value <= most
      ? []
      : [`- ${title}. ${limit}`]
  })
  return missed.length === 0 ? [] : ["Missed goals:", missed.join("\n")]
}
