// docs/performance.md: the goals, and the tables of all parts.
import * as calls from "./calls.js"
import { facts } from "./facts.js"
import { goalTable, type Goal, kilobytes, median, number, times } from "./format.js"
import type { Operation } from "./messages.js"
import { cores } from "./processes.js"
import * as size from "./size.js"
import * as waits from "./waits.js"

/** The measurements. Parts that did not run are undefined. */
export interface Report {
  readonly calls: ReadonlyArray<calls.Measured> | undefined
  readonly bursts: ReadonlyArray<calls.Burst> | undefined
  readonly sizes: ReadonlyArray<size.Size> | undefined
  readonly waits: waits.Waits | undefined
}

const goals = ({ bursts, calls, sizes }: Report): ReadonlyArray<Goal> => {
  /** CPU time of a client at 64 in flight, relative to raw undici. */
  const ratio = (client: string, operation: Operation) =>
    median(
      calls?.find(
        (one) => one.client === client && one.operation === operation && one.concurrency === 64
      )?.ratios ?? []
    )
  const burst = bursts?.find(({ client }) => client === "manilla")
  return [
    {
      title: "create, 64 in flight: CPU relative to raw undici",
      most: 1.3,
      show: times,
      value: ratio("manilla", "create")
    },
    {
      title: "the same with a token source of the user's own, without `held`",
      most: 1.3,
      show: times,
      value: ratio("manilla-tokens", "create")
    },
    {
      title: "list of 100, 64 in flight: relative to raw undici",
      most: 1.3,
      show: times,
      value: ratio("manilla", "list")
    },
    {
      title: "create, 64 in flight, over `FetchClient`: relative to raw `fetch`",
      most: 1.3,
      show: times,
      value: ratio("manilla-fetch", "create") / ratio("fetch", "create")
    },
    {
      title: "create, 64 in flight, from 200 ms after a pause on: relative to the steady stream",
      most: 1.1,
      show: times,
      value: burst === undefined ? NaN : burst.burstMicros / burst.steadyMicros
    },
    {
      title: "connections opened by this burst of 64",
      most: 64,
      show: number,
      value: burst?.connections ?? NaN
    },
    {
      title: "bundle: Payments, without Effect and `FetchHttpClient`, gzip",
      most: 20_000,
      show: kilobytes,
      value: sizes === undefined ? NaN : size.added(sizes)
    }
  ]
}

const packages = ["effect", "@effect/platform", "@effect/platform-node", "undici", "esbuild"]

const places = cores ? "the server has one, the clients another" : "the processes are not bound"

export const markdown = (report: Report): string =>
  [
    "# Performance",
    `Written by \`npm run bench\`. The client and a server that answers immediately run on one machine. Use
the figures to compare clients, not to plan capacity.`,
    facts(packages, ["Cores", places]),
    "## Goals",
    goalTable(goals(report)),
    ...(report.calls === undefined ? [] : calls.tables(report.calls)),
    ...(report.bursts === undefined ? [] : calls.burstTable(report.bursts)),
    ...(report.sizes === undefined ? [] : size.tables(report.sizes)),
    ...(report.waits === undefined ? [] : waits.tables(report.waits))
  ].join("\n\n") + "\n"
