/** How a command prints: tables for people, JSON lines and CSV for programs. */
import * as Options from "@effect/cli/Options"
import * as Chunk from "effect/Chunk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { stringify } from "csv-stringify/sync"
import * as fields from "./fields.js"

export interface Look {
  readonly json: boolean
  readonly csv: boolean
  readonly reveal: boolean
}

const json = Options.withDescription(Options.boolean("json"), "print JSON: a line for each row")
const reveal = Options.withDescription(
  Options.boolean("reveal"),
  "print phone numbers, personal data and metadata too"
)

export const options = { json, reveal }

export const listOptions = {
  ...options,
  csv: Options.withDescription(Options.boolean("csv"), "print CSV")
}

export const hidden = "[hidden]"

const shown = (value: unknown, { isHidden }: fields.Field, reveal: boolean): unknown =>
  value === undefined || value === null ? undefined : isHidden && !reveal ? hidden : value

/** A value as a person reads it. Control characters would move the cursor of the terminal. */
export const text = (value: unknown): string =>
  (typeof value === "object" ? JSON.stringify(value) : String(value ?? ""))
    .replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}")
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z")

const labelOf = ({ path }: fields.Field): string => path.join(".")

const isNumeric = (cell: string): boolean => /^-?\d+(\.\d+)?$/.test(cell)

const widthOf = (): number => process.stdout.columns ?? 100

/** Pads cells into columns. Columns of numbers are aligned to the right. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const columns = (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? ""))
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)))
  const isRight = columns.map(([, ...cells]) =>
    cells.every((cell) => cell === "" || isNumeric(cell))
  )
  return rows.map((row) =>
    row
      .map((cell, i) =>
        isRight[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)
      )
      .join("  ")
      .trimEnd()
  )
}

/** The columns that fit the terminal: without the widest ones, but with the one that names the row. */
const fitting = (
  columns: ReadonlyArray<fields.Field>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  key: string
): ReadonlyArray<number> => {
  const width = (i: number) => Math.max(...rows.map((row) => (row[i] ?? "").length))
  let kept = columns.map((_, i) => i).filter((i) => rows.some((row, n) => n > 0 && row[i] !== ""))
  while (kept.length > 1 && kept.reduce((sum, i) => sum + width(i) + 2, -2) > widthOf()) {
    const removable = kept.filter((i) => columns[i] !== undefined && labelOf(columns[i]) !== key)
    const widest = removable.reduce((a, b) => (width(b) > width(a) ? b : a))
    kept = kept.filter((i) => i !== widest)
  }
  return kept
}

/** A part of a list that is laid out at once, so that an endless list needs no endless memory. */
const rowsAtOnce = 200

/** Text beside a label, in lines that fit the terminal. */
export const wrapped = (label: string, text: string): string => {
  const lines = [label]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    const isFull = line.length > label.length && line.length + word.length + 1 > widthOf()
    const space = line.length === label.length ? "" : " "
    if (isFull) lines.push(" ".repeat(label.length) + word)
    else lines[lines.length - 1] = line + space + word
  }
  return lines.join("\n")
}

const toTable = (columns: ReadonlyArray<fields.Field>, key: string, reveal: boolean) => {
  let kept: ReadonlyArray<number> | undefined
  return (rows: Chunk.Chunk<unknown>) => {
    const cells = Chunk.toReadonlyArray(rows).map((row) =>
      columns.map((column) => text(shown(fields.valueIn(row, column.path), column, reveal)))
    )
    const all = [columns.map(labelOf), ...cells]
    const isFirst = kept === undefined
    const positions = (kept ??= fitting(columns, all, key))
    const lines = table(all.map((row) => positions.map((i) => row[i] ?? "")))
    const left = columns.filter((_, i) => !positions.includes(i)).map(labelOf)
    return { lines: isFirst ? lines : lines.slice(1), left: isFirst ? left : [] }
  }
}

export const toJson = (columns: ReadonlyArray<fields.Field>, reveal: boolean) => (row: unknown) =>
  JSON.stringify(
    reveal
      ? row
      : fields.assemble(
          columns.map((column) => [
            column.path,
            shown(fields.valueIn(row, column.path), column, reveal)
          ])
        )
  )

/** Prints rows as they arrive. `key` is the column by which a row is read. */
export const rows = <E, R>(
  rows: Stream.Stream<unknown, E, R>,
  columns: ReadonlyArray<fields.Field>,
  key: string,
  { csv, json, reveal }: Look
): Effect.Effect<void, E, R> => {
  const printAll = (lines: ReadonlyArray<string>) =>
    Effect.forEach(lines, (line) => Console.log(line), { discard: true })
  if (json)
    return Stream.runForEach(Stream.map(rows, toJson(columns, reveal)), (line) => Console.log(line))
  if (csv) {
    const line = (cells: ReadonlyArray<unknown>) =>
      stringify([cells], { cast: { boolean: String } }).trimEnd()
    const header = Stream.make(line(columns.map(labelOf)))
    const lines = Stream.map(rows, (row) =>
      line(columns.map((column) => shown(fields.valueIn(row, column.path), column, reveal)))
    )
    return Stream.runForEach(Stream.concat(header, lines), (line) => Console.log(line))
  }
  const layOut = toTable(columns, key, reveal)
  return Effect.gen(function* () {
    let count = 0
    yield* Stream.runForEach(Stream.grouped(rows, rowsAtOnce), (group) => {
      count += group.length
      const { left, lines } = layOut(group)
      const note =
        left.length === 0
          ? Effect.void
          : Console.error(`Not shown here: ${left.join(", ")}. See --json and --csv.`)
      return Effect.zipRight(printAll(lines), note)
    })
    if (count === 0) yield* Console.error("The list is empty.")
  })
}

/** Prints one resource: a line for each member. */
export const resource = (
  value: unknown,
  columns: ReadonlyArray<fields.Field>,
  { json, reveal }: Pick<Look, "json" | "reveal">
): Effect.Effect<void> => {
  if (json) return Console.log(toJson(columns, reveal)(value))
  const cells = columns.flatMap((column) => {
    const cell = text(shown(fields.valueIn(value, column.path), column, reveal))
    return cell === "" ? [] : [[labelOf(column), cell]]
  })
  const width = Math.max(...cells.map(([label = ""]) => label.length))
  const lines = cells.map(([label = "", cell]) => `${label.padEnd(width)}  ${cell}`)
  return Console.log(lines.join("\n"))
}
