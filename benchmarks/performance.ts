// docs/performance.md: the goals, and the tables of all parts.
import * as calls from "./calls.js"
import { facts } from "./facts.js"
import { atMost, goalTable, kilobytes, median, number, times } from "./format.js"
import type { Operation } from "./messages.js"
import type * as size from "./size.js"

/** The measurements. Parts that did not run are undefined. */
export interface Report {
  readonly calls: ReadonlyArray<calls.Measured> | undefined
  readonly bursts: ReadonlyArray<calls.Burst> | undefined
  readonly sizes: size.Sizes | undefined
}

const goals = ({ bursts, calls, sizes }: Report) => {
  /** CPU time of a client at 64 in flight, relative to raw undici. */
  const ratio = (client: string, operation: Operation) =>
    median(
      calls?.find(
        (one) => one.client === client && one.operation === operation && one.concurrency === 64
      )?.ratios ?? []
    )
  const overFetch = ratio("manillaFetch", "create") / ratio("fetch", "create")
  const burst = bursts?.find(({ client }) => client === "manilla")
  const { burstMicros = NaN, connections = NaN, steadyMicros = NaN } = burst ?? {}
  const create = "create, 64 in flight"
  return [
    atMost(`${create}: relative to raw undici`, 1.3, ratio("manilla", "create"), times),
    atMost("the same, own tokens without `held`", 1.3, ratio("manillaTokens", "create"), times),
    atMost("list of 100, 64 in flight: the same", 1.3, ratio("manilla", "list"), times),
    atMost(`${create}, \`FetchClient\`: relative to raw \`fetch\``, 1.3, overFetch, times),
    atMost(
      `${create}, 200 ms after a pause: relative to the steady stream`,
      1.1,
      burstMicros / steadyMicros,
      times
    ),
    atMost("connections opened by this burst of 64", 64, connections, number),
    atMost(
      "bundle of Payments over Effect and `FetchHttpClient`, gzip",
      20_000,
      sizes === undefined ? NaN : sizes.payments - sizes.effect,
      kilobytes
    )
  ]
}

const packages = ["effect", "@effect/platform", "@effect/platform-node", "undici", "esbuild"]

export const markdown = (report: Report): string =>
  [
    "# Performance",
    `Written by \`npm run bench\`. The client and a server that answers immediately run on one machine. Use
the figures to compare clients, not to plan capacity. The cost of a process that starts is in [cold starts](cold-starts.md).`,
    facts(packages),
    "## Goals",
    goalTable(goals(report)),
    ...(report.calls === undefined ? [] : calls.tables(report.calls)),
    ...(report.bursts === undefined ? [] : calls.burstTable(report.bursts))
  ].join("\n\n") + "\n"
