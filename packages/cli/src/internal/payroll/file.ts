/** The spreadsheet of a payroll, checked row by row before anything is sent. */
import * as Issues from "@manilla/core/Issues"
import * as Payout from "@manilla/payouts/Payout"
import * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import * as ParseResult from "effect/ParseResult"
import type * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { usage } from "../failure.js"
import * as output from "../output.js"
import * as cells from "./cells.js"
import * as headers from "./columns.js"
import * as offered from "./offered.js"
import type * as tables from "./table.js"
import * as twins from "./twins.js"
import { type Column, first, type Words } from "./words.js"

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

/** A payroll, as the command is told to pay it. */
export interface Payroll {
  readonly file: string
  readonly period: string
  readonly wallet: string
  readonly words: Words
}

export interface Row {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: typeof Cells.Type
  readonly item: Batch.Item
  readonly name: string
  /** The amount as the file has it. */
  readonly written: string
}

/** The employee, with the name that the file has beside its number. */
export const personOf = ({ cells, name }: Pick<Row, "cells" | "name">): string =>
  output.text(`${cells.employee} ${name}`.trim())

const decode = ParseResult.decodeUnknownEither(Cells, { errors: "all" })

/** The most characters of a cell in a sentence. */
const cellMost = 40

/** The row, or the sentences that say how to write it. */
const checked =
  ({ period, wallet, words }: Payroll, { payouts }: offered.Catalogue, { unit }: tables.Table) =>
  ({ cells: written, line, name }: tables.Line) => {
    const country = cells.country(written.country, words)
    const countryCode = Either.getOrElse(country, () => "")
    const read: Readonly<Record<Column, Either.Either<string, string>>> = {
      ...headers.record((column) => Either.right(written[column])),
      amount: cells.amount(written.amount, words),
      country,
      currency: Either.right(written.currency.toUpperCase()),
      phone: cells.phone(written.phone, countryCode, words)
    }
    const values = headers.record((column) => Either.merge(read[column]))
    const decoded = decode(values)
    const issues = Either.isLeft(decoded) ? Issues.fromParseIssue(decoded.left) : []
    const notListed = offered.problems(payouts, values, words)
    const problemOf = (column: Column): string | undefined => {
      if (Either.isLeft(read[column])) return read[column].left
      if (column === "currency" && unit?.currencies.includes(values.currency) === false) {
        return words.otherUnit(unit.name)
      }
      const issue = issues.find(({ field }) => field === column)
      return issue === undefined ? notListed.get(column) : words.rule(column, issue.rule)
    }
    const [empty, filled] = Arr.partition(headers.columns, (column) => written[column] !== "")
    const texts = filled.flatMap((column) => {
      const how = problemOf(column)
      // A phone number is never printed.
      const cell = column === "phone" ? "" : output.text(written[column]).slice(0, cellMost)
      return how === undefined ? [] : [words.cell(words.columns[column], cell, how)]
    })
    if (empty.length > 0) texts.push(words.required(empty.map((column) => words.columns[column])))
    if (Either.isLeft(decoded) || texts.length > 0) {
      return Either.left(texts.map((text): tables.Problem => ({ line, text })))
    }
    const { employee, phone, ...request } = decoded.right
    const metadata = { payroll: period, employee }
    const item = {
      key: employee,
      request: { wallet_id: wallet, ...request, destination: phone, metadata }
    }
    return Either.right({ line, cells: decoded.right, item, name, written: written.amount })
  }

const problemsMost = 20

/** Refuses the file for these problems. Some may be missing among them, if the catalogue was not read. */
export const refused = (
  { file, words }: Payroll,
  problems: ReadonlyArray<string>,
  unread: ReadonlyArray<string> = []
) => {
  const shown = first(problems, problemsMost, words.more)
  return usage([...shown, ...unread, words.refused(file)].join("\n"))
}

const rangesMost = 10

/** Such as `2–20, 22`. */
export const rangesOf = (lines: ReadonlyArray<number>): string => {
  // Lines without a gap between them have the same start.
  const runs = Arr.groupBy(
    lines.map((line, index) => ({ line, start: line - index })),
    ({ start }) => String(start)
  )
  const ranges = Object.values(runs).map((run) => {
    const first = Arr.headNonEmpty(run).line
    const last = Arr.lastNonEmpty(run).line
    return first === last ? String(first) : `${first}–${last}`
  })
  const some = ranges.slice(0, rangesMost).join(", ")
  return ranges.length > rangesMost ? `${some}, …` : some
}

/** The mistakes of cells, each once with its lines. */
const once = (problems: ReadonlyArray<tables.Problem>, words: Words) =>
  Object.values(Arr.groupBy(problems, ({ text }) => text)).map(([{ line, text }, ...others]) => ({
    line,
    text: words.lines(rangesOf([line, ...others.map(({ line }) => line)]), others.length + 1) + text
  }))

/** The rows of a table. Fails with all mistakes of the file. */
export const read = (payroll: Payroll, table: tables.Table, catalogue: offered.Catalogue) => {
  const { words } = payroll
  const { broken, lines } = table
  const [wrong, rows] = Arr.separate(lines.map(checked(payroll, catalogue, table)))
  const ofRows = [...broken, ...twins.problems(lines, words)].map(({ line, text }) => ({
    line,
    text: words.line(line) + text
  }))
  const all = [...once(wrong.flat(), words), ...ofRows]
  const problems = Arr.sortWith(all, ({ line }) => line, Order.number).map(({ text }) => text)
  return problems.length === 0
    ? Either.right(rows)
    : Either.left(refused(payroll, problems, catalogue.unread))
}
