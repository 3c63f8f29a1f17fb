// Statistics, numbers and tables, as Markdown that is also readable in a terminal.
import { markdownTable } from "markdown-table"
import { median as medianOf, quantile } from "simple-statistics"

/** A part of numbers in any order: 0.5 is the median. `NaN` without numbers. */
export const quantileOf = (numbers: ReadonlyArray<number>, part: number): number =>
  numbers.length === 0 ? NaN : quantile([...numbers], part)

export const median = (numbers: ReadonlyArray<number>): number =>
  numbers.length === 0 ? NaN : medianOf([...numbers])

const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 })
const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** Two significant digits, or all digits before the decimal point. */
export const number = (value: number): string =>
  Number.isFinite(value) ? (Math.abs(value) < 10 ? small : large).format(value) : "–"

/** The median and the quartiles. */
export const spread = (numbers: ReadonlyArray<number>): string =>
  `${number(median(numbers))} (${number(quantileOf(numbers, 0.25))} to ${number(quantileOf(numbers, 0.75))})`

const inUnit =
  (unit: string) =>
  (value: number): string =>
    Number.isFinite(value) ? `${number(value)} ${unit}` : "–"

export const kilobytes = (bytes: number): string => inUnit("kB")(bytes / 1000)

export const millis = inUnit("ms")

export const micros = inUnit("µs")

export const perSecond = inUnit("/ s")

export const percent = (share: number): string => inUnit("%")(share * 100)

export const times = inUnit("×")

export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => markdownTable([head, ...rows].map((row) => [...row]))

/** A figure, its limit, and whether it is met. A figure that was not measured is `NaN`. */
const goal =
  (sign: "≤" | "≥", isMet: (value: number, limit: number) => boolean) =>
  (title: string, limit: number, value: number, show: (value: number) => string) => [
    title,
    `${sign} ${show(limit)}`,
    show(value),
    Number.isNaN(value) ? "not measured" : isMet(value, limit) ? "met" : "missed"
  ]

export const atMost = goal("≤", (value, limit) => value <= limit)

export const atLeast = goal("≥", (value, limit) => value >= limit)

export const goalTable = (goals: ReadonlyArray<ReadonlyArray<string>>): string =>
  table(["metric", "goal", "measured", "result"], goals)
