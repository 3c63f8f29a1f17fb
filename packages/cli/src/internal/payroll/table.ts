/** The table in a file of a spreadsheet: its header and its rows, as the file has them. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import { CsvError, parse } from "csv-parse/sync"
import * as headers from "./columns.js"
import type { Column, Words } from "./words.js"

/** A row of the file: the cell of each column. */
export interface Line {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: Readonly<Record<Column, string>>
  /** The name beside the number of an employee, or none. */
  readonly name: string
}

/** A sentence that begins with its line, such as ` is a total: delete it`. */
export interface Problem {
  readonly line: number
  readonly text: string
}

export interface Table {
  readonly lines: ReadonlyArray<Line>
  readonly broken: ReadonlyArray<Problem>
  /** The names of the columns that are not read. */
  readonly unread: ReadonlyArray<string>
  /** The currency in the header of the amounts, which that of each row must be. */
  readonly unit: headers.Unit | undefined
}

interface Parsed {
  readonly record: ReadonlyArray<string>
  readonly line: number
}

const separators = [";", "\t", ",", "|"] as const

/** The separator that the file names as Excel does, or the most frequent one of its first line. */
const separatorOf = (text: string): string => {
  const [, named] = /^sep=(.)\r?\n/i.exec(text) ?? []
  if (named !== undefined) return named
  const [first = ""] = text
    .split(/\r?\n/)
    .filter((line) => separators.some((one) => line.includes(one)))
  const count = (separator: string) => first.replace(/"[^"]*"/g, "").split(separator).length
  return separators.reduce((best, one) => (count(one) > count(best) ? one : best))
}

const unreadable = (cause: unknown, words: Words): string => {
  if (!(cause instanceof CsvError)) return words.openQuote
  const { code, lines } = cause
  const at = typeof lines === "number" ? words.line(lines) + words.colon : ""
  return at + (code === "CSV_QUOTE_NOT_CLOSED" ? words.openQuote : words.strayQuote)
}

/** Spreadsheets save text as UTF-8, or as UTF-16 with a byte order mark. */
export const decode = (bytes: Uint8Array): string => {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex")
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** Files that are no table of text, by their first characters. */
const others = [
  [/^PK/, "workbook"],
  [/^\s*</, "webPage"],
  [/^\{\\rtf/, "document"],
  [/^\s*[[{]/, "json"],
  [/[\u{fffd}\0]/u, "encoding"]
] as const

const isTotal = (cell: string | undefined): boolean =>
  /^(sub|sous|grand)?[- ]?tota(l|ux)\b/i.test(cell ?? "")

/** Whether a row is one cell only, in which all its cells are. */
const isGlued = (record: ReadonlyArray<string>): boolean => {
  const [cell = "", ...others] = record.filter((cell) => cell !== "")
  return others.length === 0 && cell.split(/[;,\t|]| {2,}/).length >= headers.columns.length
}

/** The rows, or sentences that say why there is no table. */
export const read = (text: string, words: Words): Either.Either<Table, ReadonlyArray<string>> => {
  const other = others.find(([pattern]) => pattern.test(text))
  if (other !== undefined) return Either.left([words[other[1]]])
  const delimiter = separatorOf(text)
  const parsed: Array<Parsed> = []
  try {
    // Its line stays, so that the lines have their numbers.
    parse(text.replace(/^sep=.(?=\r?\n)/i, ""), {
      delimiter,
      // A file of several programs has several line ends.
      record_delimiter: ["\r\n", "\n", "\r"],
      on_record: (record, { lines }) => {
        parsed.push({ record, line: lines })
        return null
      },
      relax_column_count: true,
      skip_records_with_empty_values: true,
      trim: true
    })
  } catch (cause) {
    return Either.left([unreadable(cause, words)])
  }
  const [first, ...rest] = parsed
  if (first === undefined) return Either.left([words.noRows])
  const { nameIn, places, problems, unit, unread } = headers.find(first.record, words)
  if (problems.length > 0) {
    const header = rest.find(({ record }) => headers.find(record, words).problems.length === 0)
    if (header !== undefined) return Either.left([words.headerAt(header.line)])
    const at = words.line(first.line)
    return Either.left(
      isGlued(first.record)
        ? [at + words.glued(delimiter)]
        : problems.map((text) => at + words.colon + text)
    )
  }
  if (rest.length === 0) return Either.left([words.noRows])
  const names = first.record.map(headers.plain)
  const count = names.length
  const last = Math.max(...places.values())
  const afterAmount = (places.get("amount") ?? 0) + 1
  /**
   * An amount such as 150,000 or 150,50 without quotation marks, if a column that nobody reads is beside it. Decimals may be
   * the cell of that column, unless it has no name or the row is too long.
   */
  const isSplit = (record: ReadonlyArray<string>): boolean => {
    const mayHaveDecimals = names[afterAmount] === "" || record.length > count
    const split = mayHaveDecimals ? /^\d+,[\d.]+$/ : /^[1-9]\d{0,2},\d{3}(\.\d+)?$/
    const isRead = [...places.values()].includes(afterAmount)
    const pair = record.slice(afterAmount - 1, afterAmount + 1).join()
    return delimiter === "," && !isRead && split.test(pair)
  }
  const flawOf = (record: ReadonlyArray<string>, phone: string): string | undefined => {
    if (phone === "" && record.some(isTotal)) return words.isTotal
    if (headers.find(record, words).problems.length === 0) return words.isHeader
    if (isGlued(record)) return words.glued(delimiter)
    if (record.filter((cell) => cell !== "").length === 1) return words.oneCell
    if (record.length <= last) return words.tooFew(record.length, count)
    if (isSplit(record)) return words.splitAmount
    const isLonger = record.slice(count).some((cell) => cell !== "")
    return isLonger ? words.tooMany(record.length, count, delimiter) : undefined
  }
  const [broken, lines] = Arr.partitionMap(
    rest,
    ({ line, record }): Either.Either<Line, Problem> => {
      const cells = headers.record((column) => record[places.get(column) ?? -1] ?? "")
      const text = flawOf(record, cells.phone)
      return text === undefined
        ? Either.right({ line, cells, name: nameIn(record) })
        : Either.left({ line, text })
    }
  )
  return Either.right({ lines, broken, unit, unread })
}
