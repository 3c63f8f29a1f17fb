/** A payroll as a person checks it before the question. */
import * as Amount from "@manilla/core/Amount"
import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import * as output from "../output.js"
import { columns } from "./columns.js"
import type { Row } from "./file.js"
import * as twins from "./twins.js"
import { money, type Words } from "./words.js"

const amountOf = ({ cells }: Row) => Amount.Amount.make(cells.amount)

const totalOf = (rows: ReadonlyArray<Row>, words: Words): string =>
  money(Amount.sum(rows.map(amountOf)), words)

const byCurrency = ({ cells }: Row) => cells.currency

/** Such as `1,200 XOF and 50 USD`. */
export const total = (rows: ReadonlyArray<Row>, words: Words): string =>
  Object.entries(Arr.groupBy(rows, byCurrency))
    .map(([currency, rows]) => `${totalOf(rows, words)} ${currency}`)
    .join(words.and)

/** A line for each payment method and currency. */
const totals = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const groups = Arr.groupBy(rows, ({ cells }) => `${cells.payment_method} ${cells.currency}`)
  const lines = Object.values(groups).map((rows) => [
    rows[0].cells.payment_method,
    rows[0].cells.currency,
    String(rows.length),
    totalOf(rows, words)
  ])
  const { columns } = words
  const header = [columns.payment_method, columns.currency, words.rows, words.total]
  return output.table([header, ...lines])
}

const shownMost = 10

/** The largest rows of each currency, and the totals. */
export const lines = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const isMore = rows.length > shownMost
  const largest = Object.values(Arr.groupBy(rows, byCurrency)).flatMap((rows) =>
    Arr.sortWith(rows, amountOf, Order.reverse(Amount.Order)).slice(0, shownMost)
  )
  const shown = (isMore ? largest : rows).map(({ cells, line, name }) => {
    const { amount, phone } = cells
    const employee = `${cells.employee} ${name}`.trim()
    const values = { ...cells, employee, amount: money(amount, words), phone: twins.masked(phone) }
    return [String(line), ...columns.map((column) => output.text(values[column]))]
  })
  return [
    ...(isMore ? [words.largest(rows.length)] : []),
    ...output.table([
      [words.headers.line, ...columns.map((column) => words.columns[column])],
      ...shown
    ]),
    "",
    ...totals(rows, words),
    ""
  ]
}
