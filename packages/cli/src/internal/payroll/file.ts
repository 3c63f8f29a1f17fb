/** The spreadsheet of a payroll, checked row by row before anything is sent. */
import * as Amount from "@manilla/core/Amount"
import * as Issues from "@manilla/core/Issues"
import * as Batch from "@manilla/workflows/Batch"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import { parse } from "csv-parse/sync"
import { readFileSync } from "node:fs"
import { usage } from "../Failure.js"

/** The columns of the file. Others are ignored. */
export const columns = ["employee", "amount", "currency", "country", "payment_method", "phone"]

export interface Row {
  /** The line in the file, from 1. */
  readonly line: number
  readonly item: Batch.Item
}

type Cells = Readonly<Record<string, string | undefined>>

/** The column of the file for a member of the item. */
const columnOf = (field: string): string => {
  const name = field.replace(/^request\./, "")
  return name === "key" ? "employee" : name === "destination" ? "phone" : name
}

/** Spreadsheets write long numbers as `2.29017E+12`, and lose their digits. */
const isDamaged = (phone: string): boolean => /^\d+([.,]\d+)?E\+?\d+$/i.test(phone)

const decode = ParseResult.decodeUnknownEither(Batch.Item, { errors: "all" })

const itemOf = (cells: Cells, period: string, wallet_id: string) => {
  const { amount, country, currency, employee, payment_method, phone } = cells
  const request = { wallet_id, amount, currency, country, payment_method, destination: phone }
  const given = Object.entries(request).filter(([, value]) => value !== undefined)
  return {
    ...(employee === undefined ? {} : { key: employee }),
    request: { ...Object.fromEntries(given), metadata: { payroll: period, employee } }
  }
}

/** The row, or the rules that it breaks. */
const checked = (
  cells: Cells,
  line: number,
  period: string,
  wallet: string
): Either.Either<Row, string> => {
  if (isDamaged(cells["phone"] ?? "")) {
    return Either.left(
      `line ${line}: phone was changed by a spreadsheet: format the column as text, and enter it again`
    )
  }
  return Either.mapBoth(decode(itemOf(cells, period, wallet)), {
    onLeft: (issue) => {
      const issues = Issues.fromParseIssue(issue).map(({ field, rule }) => ({
        field: columnOf(field),
        rule
      }))
      return `line ${line}: ${Issues.print(issues)}`
    },
    onRight: (item) => ({ line, item })
  })
}

const parsed = (
  text: string
): ReadonlyArray<{ readonly record: Cells; readonly info: { readonly lines: number } }> =>
  parse(text, {
    bom: true,
    columns: (names: ReadonlyArray<string>) => names.map((name) => name.trim().toLowerCase()),
    // Where the decimal separator is a comma, spreadsheets write semicolons.
    delimiter: /^[^\n,]*;/.test(text) ? ";" : ",",
    info: true,
    skip_empty_lines: true,
    trim: true,
    cast: (cell) => (cell === "" ? undefined : cell)
  })

/** Rows of the same employee would share one payment. */
const doubles = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const lines = new Map<string, number>()
  return rows.flatMap(({ item: { key }, line }) => {
    const first = lines.get(key)
    if (first === undefined) lines.set(key, line)
    return first === undefined
      ? []
      : [`line ${line}: employee must differ from that of line ${first}`]
  })
}

const shownMost = 20

/** Reads the rows of a file. Fails with each row that breaks a rule. */
export const read = (file: string, period: string, wallet: string) =>
  Effect.gen(function* () {
    const records = yield* Effect.try({
      try: () => parsed(readFileSync(file, "utf8")),
      catch: (cause) =>
        usage(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    const results = records.map(({ info, record }) => checked(record, info.lines, period, wallet))
    const rows = results.flatMap((result) => (Either.isRight(result) ? [result.right] : []))
    const broken = results.flatMap((result) => (Either.isLeft(result) ? [result.left] : []))
    const problems = [...broken, ...doubles(rows)]
    if (problems.length > 0) {
      const more = problems.length - shownMost
      const shown = problems.slice(0, shownMost).join("\n")
      return yield* usage(
        `${shown}${more > 0 ? `\nand ${more} more` : ""}\nNothing was sent. Correct these rows of ${file}, and run the command again.`
      )
    }
    if (rows.length === 0) {
      return yield* usage(
        `${file} has no rows. Its first line names the columns: ${columns.join(",")}`
      )
    }
    return rows
  })

/** Such as `1200 XOF and 50 USD`. */
export const totals = (rows: ReadonlyArray<Row>): string => {
  const currencies = [...new Set(rows.map(({ item }) => item.request.currency))]
  return currencies
    .map((currency) => {
      const amounts = rows
        .filter(({ item }) => item.request.currency === currency)
        .map(({ item }) => Amount.Amount.make(item.request.amount))
      return `${Amount.sum(amounts)} ${currency}`
    })
    .join(" and ")
}
