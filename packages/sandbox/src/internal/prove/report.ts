/**
 * The report of a proof: as text for a terminal and as JUnit XML.
 */
import * as Array from "effect/Array"
import * as Duration from "effect/Duration"
import type { Exchange } from "../../Exchange.js"
import { isWrite } from "./faults.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import type { Trial } from "./trial.js"

/** Why a calm run is no start for a proof. Its remedy is in the sentence. */
export const problemOf = (calm: Trial): string | undefined => {
  const reason = reasonOf(calm)
  return reason && [reason, "", ...drawing(calm)].join("\n")
}

const reasonOf = ({ exchanges, told, violations }: Trial): string | undefined => {
  if (exchanges.length === 0)
    return "The calm run sends no request to the sandbox. Give the checkout the address of the sandbox, and its client."
  if (!exchanges.some(({ operation = "" }) => isWrite(operation)))
    return "The calm run sends no request that moves money. Its script has to start a payment."
  return violations.length === 0 && told !== "paid"
    ? `The calm run ends with “${told}”. A proof needs a run that ends with “paid”: look at the drawing.`
    : undefined
}

/** `Run 17, 2nd Payments.get: rate limited`. */
export const titleOf = ({ run }: Trial): string => `Run ${run.number}, ${plan.words(run)}`

export const hasFailed = ({ isReached, violations }: Trial) => isReached && violations.length > 0

export interface Report extends ReturnType<typeof make> {}

export interface Options {
  readonly seed: number
  readonly tookMillis: number
  /** The line that repeats a run. */
  readonly repeat: (run: plan.Run) => string
  /** The number or the words of the only run, which is drawn. */
  readonly run: string | undefined
  /** The number of runs without the calm one. If fewer are done, somebody has stopped the proof. */
  readonly planned: number
}

/** The report of a proof. The first trial is the calm one. */
export const make = (all: Array.NonEmptyArray<Trial>, options: Options) => {
  // A run without its fault proves nothing, so it does not fail either.
  const runs = all.filter(({ isReached }) => isReached)
  const missed = all.flatMap(({ isReached, run }) => (isReached ? [] : [run.number]))
  const failed = all.filter(hasFailed)
  const failures = failuresOf(failed, options)
  const summary = summaryOf(all[0], runs, missed, options)
  const result = resultOf(all, runs.length, failed.length, options)
  const { run: only, tookMillis } = options
  const drawn = runs.filter(
    (trial) => only !== undefined && plan.isNamed(trial.run, only) && !hasFailed(trial)
  )
  const text = [
    ...summary,
    "",
    ...table(all),
    ...failures.flatMap(({ remedies, trial }) => section(trial, remedies)),
    ...drawn.flatMap((trial) => section(trial, [])),
    "",
    result
  ].join("\n")
  return { all, failed, failures, missed, result, runs: runs.length, summary, text, tookMillis }
}

/** The first failed run of each rule. */
const failuresOf = (failed: ReadonlyArray<Trial>, { repeat }: Options) => {
  const groups = Array.groupBy(failed, ({ violations }) => String(violations[0]?.rule))
  return Object.values(groups).flatMap(([trial, ...others]) => {
    const { exchanges, run, violations } = trial
    return violations.slice(0, 1).map((violation) => ({
      ...violation,
      trial,
      run: run.number,
      faults: plan.words(run),
      exchanges,
      remedies: [
        judge.remedies[violation.rule],
        ...(others.length > 0 ? [`Other runs that break the same rule: ${others.length}.`] : []),
        `Repeat this run: ${repeat(run)}`
      ]
    }))
  })
}

/** The number of runs, the requests of the calm one, and the runs that do not count. */
const summaryOf = (
  calm: Trial,
  runs: ReadonlyArray<Trial>,
  missed: ReadonlyArray<number>,
  { seed, tookMillis }: Options
) => {
  const requests = Array.groupBy(calm.exchanges, ({ operation = "unknown" }) => operation)
  const counts = Object.entries(requests).map(([name, each]) => `${name} ${each.length}`)
  const reviews = runs.filter(({ told }) => told === "review").length
  const some = `${missed.slice(0, 8).join(", ")}${missed.length > 8 ? ", …" : ""}`
  return [
    `${counted(runs.length)} in ${(tookMillis / 1000).toFixed(1)} s, with seed ${seed}.`,
    `Requests of the calm run: ${counts.join(", ")}.`,
    missed.length > 0 &&
      `Not counted, because a fault was not reached: ${counted(missed.length)} (${some}).`,
    reviews > 0 && `A person has to decide at the end of ${counted(reviews)}.`
  ].filter((line) => line !== false)
}

const resultOf = (
  [calm, ...others]: Array.NonEmptyArray<Trial>,
  runs: number,
  failed: number,
  { planned }: Options
) => {
  const left = planned - others.length
  if (left > 0) return `Stopped with ${counted(left)} left. ${failed} of ${counted(runs)} failed.`
  if (hasFailed(calm)) return "Failed without a fault, so no fault was tried."
  return failed > 0 ? `Failed: ${failed} of ${counted(runs)}.` : "Passed."
}

const counted = (runs: number) => `${runs} ${runs === 1 ? "run" : "runs"}`

const section = (trial: Trial, remedies: ReadonlyArray<string>) => [
  "",
  titleOf(trial),
  ...trial.violations.flatMap(({ sentence }) => ["", `  ✗ ${sentence}`]),
  "",
  ...drawing(trial),
  "",
  ...remedies.map((line) => `  ${line}`)
]

/** A row for each fault: how many runs had it, failed, and did not reach it. */
const table = (trials: ReadonlyArray<Trial>): ReadonlyArray<string> => {
  const faultsOf = ({ run }: Trial) => run.troubles.map(({ fault }) => fault.name)
  const rows = Array.dedupe(trials.flatMap(faultsOf)).map((kind) => {
    const all = trials.filter((one) => faultsOf(one).includes(kind))
    const reached = all.filter(({ isReached }) => isReached).length
    return [kind, reached, all.filter(hasFailed).length, all.length - reached]
  })
  return [["fault", "runs", "failed", "not reached"], ...rows].map(
    ([name, ...cells]) =>
      `  ${String(name).padEnd(30)}${cells.map((cell) => String(cell).padStart(12)).join("")}`
  )
}

/** A row of a drawing: a request, or something that happened beside it. */
export interface Row {
  readonly sinceMillis: number
  readonly text: string
  readonly exchange?: Exchange
}

/** In order of time. The text of a request is for a terminal. */
export const rowsOf = ({ events, exchanges }: Trial): ReadonlyArray<Row> => {
  const keys = keysOf(exchanges)
  const start = events[0]?.atMillis ?? 0
  return [
    ...events.map(({ atMillis, text }) => ({ sinceMillis: atMillis - start, text })),
    ...exchanges.map((exchange) => ({
      sinceMillis: exchange.atMillis - start,
      text: lineOf(exchange, keys),
      exchange
    }))
  ].sort((a, b) => a.sinceMillis - b.sinceMillis)
}

const keysOf = (exchanges: ReadonlyArray<Exchange>) =>
  Array.dedupe(exchanges.flatMap(({ key }) => key ?? []))

/** A letter for each key. */
const nameOf = (key: string, keys: ReadonlyArray<string>) => {
  const index = keys.indexOf(key)
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1)
}

const lineOf = (exchange: Exchange, keys: ReadonlyArray<string>) => {
  const name = exchange.key === undefined ? "" : `  ${nameOf(exchange.key, keys)}`
  const label = (labelOf(exchange) + name).slice(0, 34).padEnd(34)
  const arrow = exchange.ending === "request lost" ? "──✕ " : "───▶"
  return `${label} ${arrow} ${effectOf(exchange).padEnd(27)}${endOf(exchange)}`
}

/** The drawing of the sandbox's page, a line for each request or other event. */
export const drawing = (trial: Trial): ReadonlyArray<string> => {
  const keys = keysOf(trial.exchanges)
  const indent = " ".repeat(14)
  return [
    `${indent}${"Your code".padEnd(40)}The service`,
    ...rowsOf(trial).map(({ sinceMillis, text }) =>
      `${duration(sinceMillis).padStart(12)}  ${text}`.trimEnd()
    ),
    ...keys.map((key) => `${indent}${nameOf(key, keys)} is the key ${key}`)
  ]
}

/** `POST /payments`, with ids of four characters. */
export const labelOf = ({ method, path }: Exchange): string =>
  `${method} ${path.replace("/api/v1", "").replace(/([\da-f]{4})[\da-f]{4}-[\da-f-]{27}/, "$1…")}`

const effectOf = ({ ending, fault, method, replay }: Exchange): string => {
  if (fault?.answersInstead || ending === "request lost") return "never saw it"
  if (replay) return "knows the key: nothing new"
  if (String(ending).startsWith("4") && fault === undefined) return "refused it"
  return method === "GET" ? "read it" : "processed it"
}

const endOf = ({ ending }: Exchange): string => {
  if (ending === "open") return ""
  const arrow = ending === "response lost" ? "✕──" : typeof ending === "number" ? "◀──" : ""
  return `${arrow.padEnd(4)}${ending}`
}

/** `264ms`, `3m 5s`. */
export const duration = (millis: number): string =>
  Duration.format(millis < 60_000 ? Math.round(millis) : Math.round(millis / 1000) * 1000)

/** A test case for each run, for a CI that reads JUnit's format. */
export const junit = ({ all, failed, missed, tookMillis }: Report): string => {
  const cases = all.map((trial) => {
    const [{ sentence } = { sentence: "" }] = trial.violations
    const failure = `<failure message="${escape(sentence)}">${escape(drawing(trial).join("\n"))}</failure>`
    const problem = hasFailed(trial) ? failure : trial.isReached ? "" : "<skipped/>"
    return `  <testcase classname="prove" name="${escape(titleOf(trial))}">${problem}</testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="manilla-sandbox prove" tests="${all.length}" failures="${failed.length}" skipped="${missed.length}" time="${tookMillis / 1000}">
${cases.join("\n")}
</testsuite>
`
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
