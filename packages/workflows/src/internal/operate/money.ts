/** The money of a batch, and the pace at which it is sent. */
import * as Amount from "@manilla/core/Amount"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as times from "./times.js"

/** So many items are added up by one statement, so that it holds up nobody for long. */
const itemsPerStatement = 5_000

/** The most items that are added up, which takes less than a second. */
const mostSummed = 100_000

const recentMillis = 60_000

/** A number of items, and their exact sums by currency. */
export interface Money {
  readonly items: number
  readonly money: ReadonlyArray<{ readonly amount: Amount.Amount; readonly currency: string }>
}

/** The sum of some. */
export const total = (some: ReadonlyArray<Money>): Money => ({
  items: some.reduce((sum, { items }) => sum + items, 0),
  money: Object.entries(
    Arr.groupBy(
      some.flatMap(({ money }) => money),
      ({ currency }) => currency
    )
  ).map(([currency, same]) => ({ currency, amount: Amount.sum(same.map(({ amount }) => amount)) }))
})

/** Items with one state, amount and currency. */
type Group = Omit<Batches.Alike, "state"> & { readonly state: string }

const moneyOf = ({ amount, currency, items }: Group): Money => {
  // A request always has both.
  if (amount === null || currency === null) return { items, money: [] }
  const one = Amount.toBigDecimal(Amount.make(amount))
  const all = BigDecimal.multiply(one, BigDecimal.fromBigInt(BigInt(items)))
  return { items, money: [{ amount: Amount.fromBigDecimal(all), currency }] }
}

/** A decimal number with marks between its thousands. */
export const grouped = (number: string): string =>
  number.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",")

/** Such as `1,200.50 XOF and 50 USD`. */
export const texts = ({ money }: Money): string =>
  money.map(({ amount, currency }) => `${grouped(amount)} ${currency}`).join(" and ")

/** All items of a batch, in groups that are alike. */
const groupsOf = (table: Batches.Service, batchKey: string, count: number, fromMillis: number) =>
  Effect.gen(function* () {
    const groups: Array<Batches.Alike> = []
    for (let from = 0; from < count; from += itemsPerStatement) {
      const numbers = [from, from + itemsPerStatement] as const
      groups.push(...(yield* table.alike(batchKey, numbers, fromMillis)))
    }
    return groups
  })

/** The same in larger groups, whose money is not known. */
const counted = (table: Batches.Service, batchKey: string) =>
  Effect.map(table.count(batchKey), (counts) =>
    Object.entries(counts).map(([state, items]) => ({
      state,
      items,
      amount: null,
      currency: null,
      recent: 0
    }))
  )

/** The items of a batch by state, with their money if they are not too many, and remarks on both. */
export const of = (
  table: Batches.Service,
  batchKey: string,
  { phase, started, total: count }: Batches.Stored,
  now: number
) =>
  Effect.gen(function* () {
    const isSummed = count <= mostSummed
    const fromMillis = Math.max(started, now - recentMillis)
    const groups: ReadonlyArray<Group> = yield* isSummed
      ? groupsOf(table, batchKey, count, fromMillis)
      : counted(table, batchKey)
    const states: Partial<Record<string, Money>> = Record.map(
      Arr.groupBy(groups, ({ state }) => state),
      (same) => total(same.map(moneyOf))
    )
    const recent = groups.reduce((sum, { recent }) => sum + recent, 0)
    const waiting = states["waiting"]?.items ?? 0
    // Without the moments of the requests, there is no pace: the batch may have been paused for days.
    const isSending = isSummed && phase === "running" && waiting > 0
    const remarks = [
      ...(isSending ? [pace(recent, now - fromMillis, waiting)] : []),
      ...(isSummed ? [] : [notSummed])
    ]
    return { states, remarks: remarks.join(" ") }
  })

const notSummed = `The money of more than ${grouped(String(mostSummed))} items is not added up here: "results --csv" has the amount of each payout that ended, and "items" that of any item.`

/** Such as `Sent in the last 1 minute: 120. At this pace, the last of 600 more is sent in 5 minutes.` */
const pace = (recent: number, millis: number, waiting: number): string => {
  const last = `in the last ${times.span(millis)}`
  if (recent === 0) return `No item was sent ${last}.`
  const end = times.distance((waiting * millis) / recent, 0)
  return `Sent ${last}: ${recent}. At this pace, the last of ${waiting} more is sent ${end}.`
}
