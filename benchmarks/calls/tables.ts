// The tables of the call measurements.
import { baseline, candidates } from "../candidates/index.js"
import { megabytes, number, spread, table } from "../report/format.js"
import { operations } from "../wire/messages.js"
import type { Measured, Results } from "./run.js"

const titleOf = (name: string): string =>
  candidates.find((candidate) => candidate.name === name)?.title ?? name

const unique = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(all)]

/** One row per candidate and one column per concurrency, for one operation. */
const across = (
  measured: ReadonlyArray<Measured>,
  show: (measured: Measured) => string
): string => {
  const concurrencies = unique(measured.map(({ concurrency }) => concurrency))
  return table(
    ["client", ...concurrencies.map((concurrency) => `${concurrency} in flight`)],
    unique(measured.map(({ candidate }) => candidate)).map((name) => [
      titleOf(name),
      ...concurrencies.map((concurrency) => {
        const found = measured.find(
          (one) => one.candidate === name && one.concurrency === concurrency
        )
        return found === undefined ? "" : show(found)
      })
    ])
  )
}

const byOperation = (
  { measured }: Results,
  show: (measured: Measured) => string
): ReadonlyArray<readonly [operation: string, table: string]> =>
  operations
    .map((operation) => [operation, measured.filter((one) => one.operation === operation)] as const)
    .filter(([, of]) => of.length > 0)
    .map(([operation, of]) => [operation, across(of, show)])

/** CPU time per call, relative to the baseline. */
export const ratios = (results: Results) => byOperation(results, ({ ratio }) => spread(ratio))

export const rates = (results: Results) =>
  byOperation(
    results,
    ({ p50Millis, p99Millis, perSecond }) =>
      `${number(perSecond)}/s, ${number(p50Millis)} / ${number(p99Millis)} ms`
  )

/** CPU time per call of the baseline, one row per operation. */
export const baselineMicros = ({ measured }: Results): string => {
  const base = measured.filter(({ candidate }) => candidate === baseline.name)
  const concurrencies = unique(base.map(({ concurrency }) => concurrency))
  return table(
    ["", ...concurrencies.map((concurrency) => `${concurrency} in flight`)],
    unique(base.map(({ operation }) => operation)).map((operation) => [
      operation,
      ...concurrencies.map((concurrency) => {
        const found = base.find(
          (one) => one.operation === operation && one.concurrency === concurrency
        )
        return found === undefined ? "" : `${spread(found.cpuMicros)} µs`
      })
    ])
  )
}

/** All figures of each cell, for a terminal. */
export const summary = ({ measured }: Results): string =>
  unique(measured.map(({ concurrency, operation }) => `${operation}, ${concurrency} in flight`))
    .map((cell) =>
      table(
        [cell, "relative to undici", "CPU per call", "per second", "p50", "p99", "peak heap"],
        measured
          .filter((one) => `${one.operation}, ${one.concurrency} in flight` === cell)
          .map((one) => [
            titleOf(one.candidate),
            spread(one.ratio),
            `${spread(one.cpuMicros)} µs`,
            one.perSecond.toFixed(0),
            `${number(one.p50Millis)} ms`,
            `${number(one.p99Millis)} ms`,
            megabytes(one.peakHeapBytes)
          ])
      )
    )
    .join("\n\n")

export const descriptions = ({ retained }: Results): string =>
  candidates
    .filter(({ name }) => name in retained)
    .map(({ does, title }) => `- ${title}: ${does}`)
    .join("\n")

export const memory = ({ measured, retained }: Results): string =>
  table(
    ["client", "peak heap", "heap retained"],
    Object.entries(retained).map(([name, bytes]) => [
      titleOf(name),
      megabytes(
        Math.max(
          ...measured
            .filter(({ candidate }) => candidate === name)
            .map(({ peakHeapBytes }) => peakHeapBytes)
        )
      ),
      megabytes(Math.max(0, bytes))
    ])
  )
