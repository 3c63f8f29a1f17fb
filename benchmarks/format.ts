// Statistics, numbers and tables, as Markdown that is also readable in a terminal.
/** A quantile of sorted numbers. */
export const quantile = (sorted: ReadonlyArray<number>, part: number): number => {
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? NaN
  const above = sorted[Math.ceil(place)] ?? NaN
  return below + (above - below) * (place - Math.floor(place))
}

export interface Quartiles {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

export const quartiles = (numbers: ReadonlyArray<number>): Quartiles => {
  const sorted = [...numbers].sort((one, other) => one - other)
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75)
  }
}

/** Two significant digits, or all digits before the decimal point. */
export const number = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const digits = value === 0 ? 0 : Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(3, digits))
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en")

export const spread = ({ lower, median, upper }: Quartiles): string =>
  `${number(median)} (${number(lower)} to ${number(upper)})`

export const kilobytes = (bytes: number): string => `${number(bytes / 1000)} kB`

export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}
