/** A payroll as a person checks it before the question. */
import * as Amount from "@manilla/core/Amount"
import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import * as output from "../output.js"
import { columns } from "./columns.js"
import type { Row } from "./file.js"
import * as twins from "./twins.js"

const amountOf = ({ cells }: Row) => Amount.Amount.make(cells.amount)

const totalOf = (rows: ReadonlyArray<Row>): string => output.money(Amount.sum(rows.map(amountOf)))

const byCurrency = ({ cells }: Row) => cells.currency

/** Such as `1,200 XOF and 50 USD`. */
export const total = (rows: ReadonlyArray<Row>): string =>
  Object.entries(Arr.groupBy(rows, byCurrency))
    .map(([currency, rows]) => `${totalOf(rows)} ${currency}`)
    .join(" and ")

/** A line for each payment method and currency. */
const totals = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const groups = Arr.groupBy(rows, ({ cells }) => `${cells.payment_method} ${cells.currency}`)
  const lines = Object.values(groups).map((rows) => [
    rows[0].cells.payment_method,
    rows[0].cells.currency,
    String(rows.length),
    totalOf(rows)
  ])
  return output.table([["payment_method", "currency", "rows", "total"], ...lines])
}

const shownMost = 10

/** The largest rows of each currency, and the totals. */
export const lines = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const isMore = rows.length > shownMost
  const largest = Object.values(Arr.groupBy(rows, byCurrency)).flatMap((rows) =>
    Arr.sortWith(rows, amountOf, Order.reverse(Amount.Order)).slice(0, shownMost)
  )
  const shown = (isMore ? largest : rows).map(({ cells, line }) => {
    const { amount, phone } = cells
    const values = { ...cells, amount: output.money(amount), phone: twins.masked(phone) }
    return [String(line), ...columns.map((column) => output.text(values[column]))]
  })
  return [
    ...(isMore ? [`The largest of ${rows.length} rows:`] : []),
    ...output.table([["line", ...columns], ...shown]),
    "",
    ...totals(rows),
    ""
  ]
}
