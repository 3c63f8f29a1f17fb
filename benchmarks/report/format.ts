// Numbers and tables as Markdown that is also readable in a terminal.
import type { Quartiles } from "./statistics.js"

/** Two significant digits, or all digits before the decimal point. */
export const number = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const digits = value === 0 ? 0 : Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(3, digits))
}

export const spread = ({ lower, median, upper }: Quartiles): string =>
  `${number(median)} (${number(lower)} to ${number(upper)})`

export const kilobytes = (bytes: number): string => `${number(bytes / 1000)} kB`

export const megabytes = (bytes: number): string => `${number(bytes / 1_000_000)} MB`

export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [
    line(head),
    `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`,
    ...rows.map(line)
  ].join("\n")
}
