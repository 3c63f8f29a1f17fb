/** The spreadsheet of a payroll, checked row by row before anything is sent. */
import * as Amount from "@manilla/core/Amount"
import * as Issues from "@manilla/core/Issues"
import * as Payout from "@manilla/payouts/Payout"
import * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { parse } from "csv-parse/sync"
import { usage } from "../Failure.js"
import { nearest } from "../nearest.js"
import { columns } from "./columns.js"
import * as twins from "./twins.js"

const { amount, country, currency, payment_method } = Payout.PayoutRequest.fields

/** The cells of a row. Others are ignored. */
const Cells = Schema.Struct({
  employee: Batch.Item.fields.key,
  amount,
  currency,
  country,
  payment_method,
  // Spreadsheets write long numbers as `2.29017E+12`, and lose their digits.
  phone: Schema.String.pipe(
    Schema.pattern(/^\+?\d{8,15}$/, {
      description: "8 to 15 digits, with a + before them or without (format the column as text)"
    })
  )
} satisfies Record.ReadonlyRecord<(typeof columns)[number], Schema.Schema.Any>)

export interface Row {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: typeof Cells.Type
  readonly item: Batch.Item
}

interface Parsed {
  readonly record: Record.ReadonlyRecord<string, string>
  readonly info: { readonly lines: number }
}

const parsed = (text: string): ReadonlyArray<Parsed> =>
  parse(text, {
    bom: true,
    columns: (header: ReadonlyArray<string>) => {
      const names = header.map((name) => name.trim().toLowerCase())
      const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
      if (twice !== undefined) throw new Error(`line 1 has the column ${twice} twice`)
      return names
    },
    // Where the decimal separator is a comma, spreadsheets write semicolons.
    delimiter: /^[^\n,]*;/.test(text) ? ";" : ",",
    info: true,
    skip_empty_lines: true,
    trim: true
  })

/** The columns that the header does not name, and the names that may be meant. */
const misnamed = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const others = names.filter((name) => !columns.some((column) => column === name))
  return columns
    .filter((column) => !names.includes(column))
    .map((column) => {
      const meant = nearest(column, others)
      const question = meant === undefined ? "" : `: is it the column ${meant}?`
      return `line 1: there is no column ${column}${question}`
    })
}

const decode = ParseResult.decodeUnknownEither(Cells, { errors: "all" })

/** The row, or the rules that it breaks. */
const checked =
  (period: string, wallet_id: string) =>
  ({ info: { lines: line }, record }: Parsed) =>
    Either.mapBoth(decode(Record.filter(record, (cell) => cell !== "")), {
      onLeft: (issue) => `line ${line}: ${Issues.print(Issues.fromParseIssue(issue))}`,
      onRight: (cells): Row => {
        const { employee, phone, ...request } = cells
        const metadata = { payroll: period, employee }
        const item = {
          key: employee,
          request: { wallet_id, ...request, destination: phone, metadata }
        }
        return { line, cells, item }
      }
    })

const shownMost = 20

/** Reads the rows of a file. Fails with each row that breaks a rule. */
export const read = (file: string, text: string, period: string, wallet: string) =>
  Effect.gen(function* () {
    if (text.includes("\u{fffd}")) return yield* usage(`${file}: Save it as CSV UTF-8.`)
    const records = yield* Effect.try({
      try: () => parsed(text),
      catch: (cause) =>
        usage(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    const [first] = records
    const inHeader = first === undefined ? ["It has no rows."] : misnamed(Object.keys(first.record))
    const [broken, rows] = Arr.separate(records.map(checked(period, wallet)))
    const problems = inHeader.length > 0 ? inHeader : [...broken, ...twins.problems(rows)]
    if (problems.length > 0) {
      const more = problems.length - shownMost
      const shown = problems.slice(0, shownMost).join("\n")
      return yield* usage(
        `${shown}${more > 0 ? `\nand ${more} more` : ""}\nNothing was sent. Correct ${file}, and run the command again.`
      )
    }
    return rows
  })

/** Such as `1200 XOF and 50 USD`. */
export const totals = (rows: ReadonlyArray<Row>): string =>
  Record.toEntries(Arr.groupBy(rows, ({ cells }) => cells.currency))
    .map(([currency, rows]) => {
      const amounts = rows.map(({ cells }) => Amount.Amount.make(cells.amount))
      return `${Amount.sum(amounts)} ${currency}`
    })
    .join(" and ")
