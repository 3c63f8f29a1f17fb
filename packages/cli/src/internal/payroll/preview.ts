/** A payroll as a person checks it before the question. */
import * as Amount from "@manilla/core/Amount"
import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import * as output from "../output.js"
import { columns } from "./columns.js"
import { isForeign } from "./cells.js"
import { personOf, type Row } from "./file.js"
import { decimal, first, listed, money, type Words } from "./words.js"

type Money = Pick<Row["cells"], "amount" | "currency">

const amountOf = ({ amount }: Money) => Amount.Amount.make(amount)

const sum = (all: ReadonlyArray<Money>, words: Words): string =>
  money(Amount.sum(all.map(amountOf)), words)

/** Such as `1,200 XOF and 50 USD`. */
export const total = (all: ReadonlyArray<Money>, words: Words): string =>
  Object.entries(Arr.groupBy(all, ({ currency }) => currency))
    .map(([currency, same]) => `${sum(same, words)} ${currency}`)
    .join(words.and)

/** A line for each payment method and currency. */
const totals = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const groups = Arr.groupBy(rows, ({ cells }) => `${cells.payment_method} ${cells.currency}`)
  const lines = Object.values(groups).map((rows) => [
    rows[0].cells.payment_method,
    rows[0].cells.currency,
    String(rows.length),
    sum(
      rows.map(({ cells }) => cells),
      words
    )
  ])
  const { columns } = words
  const header = [columns.payment_method, columns.currency, words.rows, words.total]
  return output.table([header, ...lines])
}

const shownMost = 10

/** Such as `**********67`. */
const masked = (phone: string) => phone.slice(-2).padStart(phone.length, "*")

/** The largest rows of each currency, and the totals. */
export const lines = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const isMore = rows.length > shownMost
  const byAmount = Order.mapInput(Order.reverse(Amount.Order), ({ cells }: Row) => amountOf(cells))
  const groups = Object.values(Arr.groupBy(rows, ({ cells }) => cells.currency))
  const largest = groups.flatMap((same) => Arr.sort(same, byAmount).slice(0, shownMost))
  const shown = (isMore ? largest : rows).map((row) => {
    const { amount, phone } = row.cells
    const values = {
      ...row.cells,
      employee: personOf(row),
      amount: money(amount, words),
      phone: masked(phone)
    }
    return [String(row.line), ...columns.map((column) => output.text(values[column]))]
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

const readingsMost = 5

/** The amounts that the file has in another way, as they were read. */
export const readings = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const all = rows.flatMap(({ cells, line, written }) => {
    const amount = decimal(cells.amount, words)
    const isRead = written !== cells.amount && written !== amount
    return isRead ? [words.reading(line, output.text(written), amount)] : []
  })
  return first(all, readingsMost, words.moreReadings)
}

/** A sentence about the columns that nobody reads. */
export const unread = (columns: ReadonlyArray<string>, words: Words): ReadonlyArray<string> =>
  columns.length === 0 ? [] : [output.text(words.unread(listed(columns, words)))]

const warningsMost = 5

const peopleOf = (rows: ReadonlyArray<Row>, words: Words): string =>
  listed(
    rows.map((row) => words.employeeAt(personOf(row), row.line)),
    words
  )

/** A warning for the phone numbers of other countries than their rows. */
export const foreignPhones = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const foreign = rows.filter(({ cells }) => isForeign(cells.phone, cells.country))
  return foreign.length === 0 ? [] : [words.foreignPhones(foreign.length, peopleOf(foreign, words))]
}

/** A warning for each phone number of several rows. */
export const sharedPhones = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const groups = Object.values(Arr.groupBy(rows, ({ cells }) => cells.phone.replace(/^\+/, "")))
  const shared = groups.filter(({ length }) => length > 1)
  const all = shared.map((same) => {
    const phone = masked(same[0].cells.phone)
    return words.sharedPhone(same.length, phone, peopleOf(same, words))
  })
  return first(all, warningsMost, words.morePhones)
}
