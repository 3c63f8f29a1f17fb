/** The money of a batch, and the pace at which it is sent. */
import * as Amount from "@manilla/core/Amount"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as times from "./times.js"

/** So many items are added up by one statement, so that it holds up nobody for long. */
const itemsPerStatement = 5_000

/** The most items that are added up, which takes less than a second. */
const mostSummed = 100_000

const recentMillis = 60_000

interface Sum {
  items: number
  readonly amounts: Map<string, BigDecimal.BigDecimal>
}

const add = (sum: Sum, { amount, currency, items }: Batches.Alike) => {
  sum.items += items
  // A request always has both.
  if (amount === null || currency === null) return
  const before = sum.amounts.get(currency) ?? BigDecimal.fromBigInt(0n)
  const more = BigDecimal.multiply(
    Amount.toBigDecimal(Amount.make(amount)),
    BigDecimal.fromBigInt(BigInt(items))
  )
  sum.amounts.set(currency, BigDecimal.sum(before, more))
}

const money = ({ amounts, items }: Sum) => ({
  items,
  money: Array.from(amounts, ([currency, amount]) => ({
    amount: Amount.fromBigDecimal(amount),
    currency
  }))
})

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

/** A number of items, and their exact sums by currency. */
export type Money = ReturnType<typeof money>

/** A decimal number with marks between its thousands. */
export const grouped = (number: string): string =>
  number.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",")

/** Such as `1,200.50 XOF and 50 USD`. */
export const texts = ({ money }: Money): string =>
  money.map(({ amount, currency }) => `${grouped(amount)} ${currency}`).join(" and ")

/** Adds up the items of a batch by state, and counts those that were sent since a moment. */
const sumAll = (table: Batches.Service, batchKey: string, total: number, fromMillis: number) =>
  Effect.gen(function* () {
    const states = new Map<string, Sum>()
    let recent = 0
    for (let from = 0; from < total; from += itemsPerStatement) {
      const numbers = [from, from + itemsPerStatement] as const
      for (const alike of yield* table.alike(batchKey, numbers, fromMillis)) {
        const sum = states.get(alike.state) ?? { items: 0, amounts: new Map() }
        states.set(alike.state, sum)
        add(sum, alike)
        recent += alike.recent
      }
    }
    return { states: new Map(Array.from(states, ([state, sum]) => [state, money(sum)])), recent }
  })

/** Only counts the items of a batch by state. */
const countAll = (table: Batches.Service, batchKey: string) =>
  Effect.map(table.count(batchKey), (counts) => ({
    states: new Map(
      Object.entries(counts).map(([state, items]): [string, Money] => [state, { items, money: [] }])
    ),
    recent: 0
  }))

/** The items of a batch by state, with their money if they are not too many, and remarks on both. */
export const of = (
  table: Batches.Service,
  batchKey: string,
  { phase, started, total }: Batches.Stored,
  now: number
) =>
  Effect.gen(function* () {
    const isSummed = total <= mostSummed
    const fromMillis = Math.max(started, now - recentMillis)
    const { recent, states } = yield* isSummed
      ? sumAll(table, batchKey, total, fromMillis)
      : countAll(table, batchKey)
    const waiting = states.get("waiting")?.items ?? 0
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
