/** How a command prints: tables for people, JSON lines and CSV for programs. */
import * as Options from "@effect/cli/Options"
import * as Arr from "effect/Array"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Stream from "effect/Stream"
import { type Options as CsvOptions, stringify } from "csv-stringify/sync"
import * as fields from "./fields.js"

export interface Look {
  readonly json: boolean
  readonly reveal: boolean
}

export const flag = (name: string, about: string) =>
  Options.withDescription(Options.boolean(name), about)

export const options = {
  json: flag("json", "print JSON: a line for each row"),
  reveal: flag("reveal", "print phone numbers, personal data and metadata too")
}

export const listOptions = { ...options, csv: flag("csv", "print CSV, unless --json is given too") }

export const hidden = "[hidden]"

const shown = (value: unknown, { isHidden }: fields.Field, reveal: boolean): unknown =>
  value === undefined || value === null ? undefined : isHidden && !reveal ? hidden : value

/** A value as a person reads it. Control characters would move the cursor of the terminal. */
export const text = (value: unknown): string =>
  (typeof value === "object" ? JSON.stringify(value) : String(value ?? ""))
    .replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}")
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z")

const labelOf = ({ path }: fields.Field): string => path.join(".")

const widthOf = (): number => process.stdout.columns ?? 100

type Rows = ReadonlyArray<ReadonlyArray<string>>

/** Pads cells into columns. Columns of numbers are aligned to the right. */
export const table = (rows: Rows): ReadonlyArray<string> => {
  const columns = (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? ""))
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)))
  const isRight = columns.map(([, ...cells]) =>
    cells.every((cell) => /^(-?[\d,\u{202f}]+(\.\d+)?)?$/u.test(cell))
  )
  const padded = (cell: string, i: number) =>
    isRight[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)
  return rows.map((row) => row.map(padded).join("  ").trimEnd())
}

/** Columns that a table always has. `key` is the one that names the row. */
const isEssential = (label = "", key: string) =>
  [key, "status", "amount", "currency", "created_at"].includes(label)

/** The columns that fit the terminal. The widest are left out first, and those without a value. */
const fitting = (rows: Rows, key: string): ReadonlyArray<number> => {
  const [header = [], ...cells] = rows
  const width = (i: number) => Math.max(...rows.map((row) => (row[i] ?? "").length))
  const present = header.map((_, i) => i).filter((i) => cells.some((row) => row[i] !== ""))
  const removable = present.filter((i) => !isEssential(header[i], key))
  let kept = present
  for (const widest of Arr.sortWith(removable, width, Order.reverse(Order.number))) {
    if (kept.reduce((sum, i) => sum + width(i) + 2, -2) <= widthOf()) break
    kept = kept.filter((i) => i !== widest)
  }
  return kept
}

/** Text beside a label, in lines that fit the terminal. (`Doc.reflow` takes seconds for some sentences.) */
export const wrapped = (label: string, words: string, columns = widthOf()): string => {
  const width = Math.max(1, columns - label.length)
  const lines = words.match(new RegExp(`(.{1,${width}}|[^ \\n]+)([ \\n]+|$)`, "g")) ?? []
  return label + lines.map((line) => line.trimEnd()).join(`\n${" ".repeat(label.length)}`)
}

/** A part of a list that is laid out at once, so that an endless list needs no endless memory. */
const rowsAtOnce = 200

/** The values of a row, in the order of the columns. */
const valuesOf = (columns: ReadonlyArray<fields.Field>, reveal: boolean) => (row: unknown) =>
  columns.map((column) => shown(fields.valueIn(row, column.path), column, reveal))

const jsonOf = (columns: ReadonlyArray<fields.Field>, reveal: boolean) => (row: unknown) => {
  const values = valuesOf(columns, reveal)(row)
  return JSON.stringify(
    reveal ? row : fields.assemble(columns.map(({ path }, i) => [path, values[i]]))
  )
}

/** The lines of a table. The first rows choose the columns. */
const tableOf = <E, R>(
  rows: Stream.Stream<ReadonlyArray<string>, E, R>,
  columns: ReadonlyArray<fields.Field>,
  key: string
) => {
  const header = columns.map(labelOf)
  const none: ReadonlyArray<number> = []
  return Stream.grouped(rows, rowsAtOnce).pipe(
    Stream.mapAccumEffect(none, (chosen, group) => {
      const all = [header, ...group]
      const isFirst = chosen.length === 0
      const kept = isFirst ? fitting(all, key) : chosen
      const lines = table(all.map((row) => kept.map((i) => row[i] ?? "")))
      const left = header.filter((_, i) => !kept.includes(i))
      const note = Console.error(`Not shown here: ${left.join(", ")}. See --json and --csv.`)
      const told = Effect.when(note, () => isFirst && left.length > 0)
      return Effect.as(told, [kept, isFirst ? lines : lines.slice(1)] as const)
    }),
    Stream.flattenIterables,
    Stream.orElseIfEmpty(() => "The list is empty.")
  )
}

/** A spreadsheet runs a cell that begins like a formula. Numbers, also phone numbers, stay as they are. */
const inert = (cell: string): string =>
  /^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell

/** Rows as CSV, each with its line break. */
export const csvText = (
  rows: ReadonlyArray<ReadonlyArray<unknown> | object>,
  options: Pick<CsvOptions, "bom" | "columns" | "delimiter" | "header"> = {}
): string => stringify([...rows], { ...options, cast: { boolean: String, string: inert } })

/** Prints rows as they arrive. `key` is the column by which a row is read. */
export const rows = <E, R>(
  rows: Stream.Stream<unknown, E, R>,
  columns: ReadonlyArray<fields.Field>,
  key: string,
  { csv, json, reveal }: Look & { readonly csv: boolean }
): Effect.Effect<void, E, R> => {
  const values = Stream.map(rows, valuesOf(columns, reveal))
  const cells = Stream.map(values, (row) => row.map(text))
  const lines = json
    ? Stream.map(rows, jsonOf(columns, reveal))
    : csv
      ? Stream.map(Stream.concat(Stream.make(columns.map(labelOf)), values), (row) =>
          csvText([row]).trimEnd()
        )
      : tableOf(cells, columns, key)
  return Stream.runForEach(lines, (line) => Console.log(line))
}

/** Prints one resource: a line for each member. */
export const resource = (value: unknown, columns: ReadonlyArray<fields.Field>, look: Look) => {
  const { json, reveal } = look
  if (json) return Console.log(jsonOf(columns, reveal)(value))
  const cells = valuesOf(columns, reveal)(value).map(text)
  const present = columns.map((column, i) => [labelOf(column), cells[i] ?? ""])
  return Console.log(table(present.filter(([, cell]) => cell !== "")).join("\n"))
}
