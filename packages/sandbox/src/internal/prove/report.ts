/**
 * The report of a proof: as text for a terminal of 100 columns, and as JUnit XML.
 */
import type { Exchange } from "../../Exchange.js"
import { isWrite } from "./faults.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"

/** Something that happened beside the requests: a life starts, a buyer is told. */
export interface Event {
  readonly atMillis: number
  readonly text: string
  readonly tone: "" | "bad"
}

/** A run and its judgement. */
export interface Trial {
  readonly run: plan.Run
  /** Whether all its faults happened. */
  readonly isReached: boolean
  readonly told: judge.Told
  readonly violations: ReadonlyArray<judge.Violation>
  readonly events: ReadonlyArray<Event>
  readonly exchanges: ReadonlyArray<Exchange>
}

export interface Report {
  readonly seed: number
  readonly tookMillis: number
  readonly calm: Trial
  /** Without the calm run. */
  readonly trials: ReadonlyArray<Trial>
  /** The line that repeats a run. */
  readonly repeat: (run: number) => string
}

/** Why a calm run is no start for a proof. Its remedy is in the sentence. */
export const problemOf = ({ exchanges, told, violations }: Trial): string | undefined => {
  if (exchanges.length === 0) {
    return "The calm run sends no request to the sandbox. Give the checkout the address of the sandbox, and its client."
  }
  if (!exchanges.some(({ operation = "" }) => isWrite(operation))) {
    return "The calm run sends no request that moves money. Its script has to start a payment."
  }
  if (violations.length > 0 || told === "paid") return undefined
  return `The calm run ends with “${told}”. A proof needs a run that ends with “paid”: look at the drawing.`
}

/** A run without its fault proves nothing, so it does not fail either. */
export const counted = ({ calm, trials }: Report): ReadonlyArray<Trial> => [
  calm,
  ...trials.filter(({ isReached }) => isReached)
]

export const failed = (report: Report): ReadonlyArray<Trial> =>
  counted(report).filter(({ violations }) => violations.length > 0)

/** The first failed run of each rule, with the others that break it. */
export const failures = (report: Report) =>
  ([1, 2, 3, 4, 5] as const).flatMap((rule) => {
    const [first, ...others] = failed(report).filter(
      ({ violations }) => violations[0]?.rule === rule
    )
    return first === undefined ? [] : [{ first, others: others.map(({ run }) => run.number) }]
  })

/** `Run 17: the 2nd Payments.get gets 429`. */
export const titleOf = ({ run }: Trial): string => `Run ${run.number}: ${plan.words(run)}`

/** The runs that count for nothing. */
export const missed = ({ trials }: Report): ReadonlyArray<number> =>
  trials.filter(({ isReached }) => !isReached).map(({ run }) => run.number)

const count = (names: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, times]) => `${name} ${times}`).join(", ")
}

/** The covered faults, in lines. */
export const summary = (report: Report): ReadonlyArray<string> => {
  const { calm, seed, tookMillis, trials } = report
  const without = missed(report)
  const reviews = trials.filter(({ isReached, told }) => isReached && told === "review").length
  const reached = counted(report).flatMap(({ run }) => run.troubles)
  return [
    `${counted(report).length} runs in ${(tookMillis / 1000).toFixed(1)} s, with seed ${seed}.`,
    `Requests of the calm run: ${count(calm.exchanges.map(({ operation }) => operation ?? "unknown"))}.`,
    `Faults: ${count(reached.map(({ kind }) => kind))}.`,
    ...(without.length === 0
      ? []
      : [
          `Not counted, because a fault was not reached: ${without.length} runs (${some(without)}).`
        ]),
    ...(reviews === 0 ? [] : [`A person has to decide at the end of ${reviews} runs.`])
  ]
}

const some = (numbers: ReadonlyArray<number>) =>
  numbers.length > 8 ? `${numbers.slice(0, 8).join(", ")}, …` : numbers.join(", ")

export const others = (numbers: ReadonlyArray<number>): string =>
  numbers.length === 0
    ? ""
    : `Other runs that break the same rule: ${numbers.length} (${some(numbers)}).`

/** A row for each fault: how many runs had it, failed, and did not reach it. */
const table = (report: Report): ReadonlyArray<string> => {
  const names = new Set(report.trials.flatMap(({ run }) => run.troubles.map(({ kind }) => kind)))
  const row = (cells: ReadonlyArray<string | number>) =>
    cells
      .map((cell, at) => (at === 0 ? `  ${cell}`.padEnd(32) : String(cell).padStart(12)))
      .join("")
  const lines = [...names].map((name) => {
    const all = report.trials.filter(({ run }) => run.troubles.some(({ kind }) => kind === name))
    const reached = all.filter(({ isReached }) => isReached)
    const failures = reached.filter(({ violations }) => violations.length > 0)
    return row([name, reached.length, failures.length, all.length - reached.length])
  })
  return ["", row(["fault", "runs", "failed", "not reached"]), ...lines]
}

/** The whole report. In the middle of it, the faults are a line or a table. */
export const text = (report: Report, faults: "line" | "table" = "line"): string =>
  [
    ...summary(report).flatMap((line) =>
      faults === "table" && line.startsWith("Faults:") ? [] : wrap(line)
    ),
    ...(faults === "table" ? table(report) : []),
    ...failures(report).flatMap(({ first, others: rest }) => [
      "",
      ...wrap(`${titleOf(first)}.`),
      ...first.violations.flatMap(({ sentence }) => ["", ...wrap(sentence, "  ✗ ")]),
      "",
      ...drawing(first),
      "",
      ...wrap(judge.remedies[first.violations[0]?.rule ?? 1], "  → "),
      ...wrap(others(rest), "  "),
      `  Repeat this run: ${report.repeat(first.run.number)}`
    ]),
    "",
    failed(report).length === 0
      ? "Passed."
      : `Failed: ${failed(report).length} of ${counted(report).length} runs.`
  ].join("\n")

const columns = 100

/** Lines of a text. The first one has a mark, and the others have its width. */
const wrap = (text: string, mark = ""): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + mark.length < columns) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return text === ""
    ? []
    : lines.map((line, index) => (index === 0 ? mark : " ".repeat(mark.length)) + line)
}

/** The rows of a drawing, in order of time. A row has an exchange or a text. */
export interface Row {
  readonly sinceMillis: number
  readonly event?: Event
  readonly exchange?: Exchange
}

export const rowsOf = ({ events, exchanges }: Trial): ReadonlyArray<Row> => {
  const start = events[0]?.atMillis ?? 0
  return [
    ...events.map((event) => ({ sinceMillis: event.atMillis - start, event })),
    ...exchanges.map((exchange) => ({ sinceMillis: exchange.atMillis - start, exchange }))
  ].sort((a, b) => a.sinceMillis - b.sinceMillis)
}

/** `POST /payments`, with ids of four characters. */
export const labelOf = ({ method, path }: Exchange): string =>
  `${method} ${path.replace("/api/v1", "").replace(/([\da-f]{4})[\da-f]{4}-[\da-f-]{27}/, "$1…")}`

/** The drawing of the sandbox's page, a line for each request. */
export const drawing = (trial: Trial): ReadonlyArray<string> => {
  const keys = [...new Set(trial.exchanges.flatMap(({ key }) => key ?? []))]
  const lines = rowsOf(trial).map(({ event, exchange, sinceMillis }) => {
    const since = duration(sinceMillis).padStart(12)
    if (exchange === undefined) return `${since}  ${event?.text ?? ""}`
    const letter = exchange.key === undefined ? "" : `  ${letterOf(keys.indexOf(exchange.key))}`
    const isLost = exchange.outcome === "dropped before"
    const label = (labelOf(exchange) + letter).slice(0, 34).padEnd(34)
    const answer = isLost ? "    request lost" : `${answerOf(exchange)}`
    return `${since}  ${label} ${isLost ? "──✕ " : "───▶"} ${effectOf(exchange).padEnd(27)}${answer}`.trimEnd()
  })
  return [
    `${"".padStart(12)}  ${"Your code".padEnd(40)}The service`,
    ...lines,
    ...keys.map((key, index) => `${"".padStart(12)}  ${letterOf(index)} is the key ${key}`)
  ]
}

const letterOf = (index: number) =>
  index < 26 ? String.fromCharCode(65 + index) : String(index + 1)

const answerOf = ({ outcome }: Exchange): string => {
  if (typeof outcome === "number") return `◀── ${outcome}`
  return {
    "dropped after": "✕── answer lost",
    abandoned: "caller left",
    open: "",
    "dropped before": ""
  }[outcome]
}

const effectOf = ({ fault, method, outcome, replay }: Exchange): string => {
  if (fault?.answersInstead || outcome === "dropped before") return "never saw it"
  if (replay) return "knows the key: nothing new"
  if (typeof outcome === "number" && outcome >= 400 && outcome < 500 && fault === undefined) {
    return "refused it"
  }
  return method === "GET" ? "read it" : "processed it"
}

/** `264 ms`, `12.5 s`, `3 min 5 s`. */
export const duration = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(2)} s`
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor(millis / 1000) % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A test case for each run, for a CI that reads JUnit's format. */
export const junit = (report: Report): string => {
  const all = [report.calm, ...report.trials]
  const cases = all.map((trial) => {
    const problem = !trial.isReached
      ? "<skipped/>"
      : trial.violations.length > 0
        ? `<failure message="${escape(trial.violations[0]?.sentence ?? "")}">${escape(drawing(trial).join("\n"))}</failure>`
        : ""
    return `  <testcase classname="prove" name="${escape(titleOf(trial))}">${problem}</testcase>`
  })
  const skipped = all.length - counted(report).length
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="manilla-sandbox prove" tests="${all.length}" failures="${failed(report).length}" skipped="${skipped}" time="${report.tookMillis / 1000}">
${cases.join("\n")}
</testsuite>
`
}

/** For XML and HTML. */
export const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
