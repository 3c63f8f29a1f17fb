/** The spreadsheet of a payroll, checked row by row before anything is sent. */
import * as Issues from "@manilla/core/Issues"
import * as Payout from "@manilla/payouts/Payout"
import * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import * as ParseResult from "effect/ParseResult"
import type * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { usage } from "../Failure.js"
import * as output from "../output.js"
import * as cells from "./cells.js"
import * as headers from "./columns.js"
import * as tables from "./table.js"
import * as twins from "./twins.js"
import { type Column, decimal, type Words } from "./words.js"

const { amount, country, currency, payment_method } = Payout.PayoutRequest.fields

/** The cells of a row. Others are ignored. */
const Cells = Schema.Struct({
  employee: Batch.Item.fields.key,
  amount,
  currency,
  country,
  payment_method,
  phone: Schema.String
} satisfies Record.ReadonlyRecord<Column, Schema.Schema.Any>)

export interface Row {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: typeof Cells.Type
  readonly name: string
  readonly item: Batch.Item
  /** The amount as the file has it, if it is written in another way. */
  readonly written: string | undefined
}

const decode = ParseResult.decodeUnknownEither(Cells, { errors: "all" })

/** The most characters of a cell in a sentence. */
const cellMost = 40

/** The row, or the sentences that say how to write it. */
const checked =
  (period: string, wallet_id: string, hasSemicolons: boolean, words: Words) =>
  ({ cells: written, line, name }: tables.Line) => {
    const country = cells.country(written.country, words)
    const read: Readonly<Record<Column, Either.Either<string, string>>> = {
      ...headers.record((column) => Either.right(written[column])),
      amount: cells.amount(written.amount, hasSemicolons, words),
      country,
      currency: Either.right(written.currency.toUpperCase()),
      phone: cells.phone(
        written.phone,
        Either.getOrElse(country, () => ""),
        words
      )
    }
    // The schema has a rule for an empty cell.
    const present = headers.columns.filter((column) => written[column] !== "")
    const decoded = decode(
      Object.fromEntries(present.map((column) => [column, Either.merge(read[column])]))
    )
    const [missing, wrong] = Arr.partition(
      Either.isRight(decoded) ? [] : Issues.fromParseIssue(decoded.left),
      ({ field }) => present.some((column) => column === field)
    )
    const texts = present.flatMap((column) => {
      const rule = wrong.find(({ field }) => field === column)?.rule
      const how = Either.isLeft(read[column]) ? read[column].left : rule && words.rule(column, rule)
      const label = words.columns[column]
      const cell = output.text(written[column]).slice(0, cellMost)
      return how === undefined
        ? []
        : // A phone number is never printed.
          [column === "phone" ? words.hiddenCell(label, how) : words.cell(label, cell, how)]
    })
    const absent = headers.columns.filter((column) => missing.some(({ field }) => field === column))
    if (absent.length > 0) texts.push(words.required(absent.map((column) => words.columns[column])))
    if (Either.isLeft(decoded) || texts.length > 0) {
      return Either.left(texts.map((text): tables.Problem => ({ line, text })))
    }
    const { employee, phone, ...request } = decoded.right
    const metadata = { payroll: period, employee }
    const item = {
      key: employee,
      request: { wallet_id, ...request, destination: phone, metadata }
    }
    const isRead = request.amount !== written.amount
    return Either.right({
      line,
      cells: decoded.right,
      name,
      item,
      written: isRead ? written.amount : undefined
    })
  }

const shownMost = 20
const shownReadings = 5

/** Refuses a file for these problems. */
export const refused = (file: string, problems: ReadonlyArray<string>, words: Words) => {
  const more = problems.length - shownMost
  const others = more > 0 ? [words.more(more)] : []
  return usage([...problems.slice(0, shownMost), ...others, words.refused(file)].join("\n"))
}

/** Reads the rows of a file. Fails with each row that breaks a rule. */
export const read = (file: string, text: string, period: string, wallet: string, words: Words) =>
  Effect.gen(function* () {
    const { broken, hasSemicolons, lines } = yield* Either.mapLeft(
      tables.read(text, words),
      (problems) => refused(file, problems, words)
    )
    const [wrong, rows] = Arr.separate(lines.map(checked(period, wallet, hasSemicolons, words)))
    const all = Arr.sortWith([...broken, ...wrong.flat()], ({ line }) => line, Order.number)
    const problems = [
      ...all.map(({ line, text }) => words.line(line) + text),
      ...twins.problems(rows, words)
    ]
    if (problems.length > 0) return yield* refused(file, problems, words)
    return rows
  })

/** The amounts that the file has in another way, as they were read. */
export const readings = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const others = rows.filter(
    ({ cells, written }) => written !== undefined && written !== decimal(cells.amount, words)
  )
  const shown = others
    .slice(0, shownReadings)
    .map(({ cells, line, written = "" }) =>
      words.reading(line, output.text(written), decimal(cells.amount, words))
    )
  const more = others.length - shown.length
  return more > 0 ? [...shown, words.moreReadings(more)] : shown
}
