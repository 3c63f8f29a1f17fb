/**
 * The judge of a run: the ledger and the log of the sandbox, never the response of a mock.
 */
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Exchange } from "../../Exchange.js"
import type * as Sandbox from "../../Sandbox.js"
import { canonical } from "../rules/idempotency.js"
import { isWrite } from "./faults.js"

/** The state of an order, as a checkout tells it. */
export type Told = "paid" | "not paid" | "open" | "review"

export const isTold = (value: unknown): value is Told =>
  value === "paid" || value === "not paid" || value === "open" || value === "review"

/** As in the documentation of `Prove`. */
export type Rule = 1 | 2 | 3 | 4 | 5

/** An operation that has moved money, or still may. */
interface Movement {
  readonly kind: "payment" | "payout" | "card" | "payment link"
  readonly name: string
  readonly key: string | undefined
  readonly money: string
  readonly hasMoved: boolean
  /** Whether it still may, without anybody. */
  readonly isPending: boolean
}

/** A resource that a write makes. Without a status, it moved money when it was made. */
interface Row {
  readonly amount: string
  readonly currency: string
  readonly idempotency_key?: string | undefined
  readonly reference?: string | undefined
  readonly status?: string
}

interface Kind {
  readonly kind: Movement["kind"]
  readonly rows: (sandbox: Sandbox.Service) => Effect.Effect<ReadonlyArray<Row>>
}

/** The resources of each declared write. The compiler reports a missing write. */
const kinds: Readonly<Record<ServiceApi.WriteName, Kind>> = {
  "Payments.create": {
    kind: "payment",
    rows: ({ paymentIntents }) =>
      Effect.map(paymentIntents, (all) =>
        all.filter(({ operation }) => /^(COLLECTION|DEPOSIT)$/.test(operation))
      )
  },
  "Payouts.create": { kind: "payout", rows: ({ payouts }) => payouts },
  "PaymentLinks.create": { kind: "payment link", rows: ({ paymentLinks }) => paymentLinks },
  "Cards.issue": {
    kind: "card",
    rows: ({ cards }) =>
      Effect.map(cards, (all) =>
        all.map(({ charged_amount, charged_currency, id, issuance_reference }) => ({
          amount: charged_amount ?? "",
          currency: charged_currency ?? "",
          idempotency_key: issuance_reference,
          reference: id
        }))
      )
  }
}

export interface Books extends Effect.Effect.Success<ReturnType<typeof read>> {}

export const read = (sandbox: Sandbox.Service) =>
  Effect.gen(function* () {
    const transactions = yield* sandbox.transactions
    /** A movement for each transaction of a resource, or one that may follow. */
    const movementsOf = (kind: Movement["kind"], row: Row): ReadonlyArray<Movement> => {
      const { amount, currency, idempotency_key: key, reference: name = "", status } = row
      const movement = { kind, name, key, money: `${amount} ${currency}` }
      const moved = transactions.filter(({ source }) => source === name)
      // Nobody knows what an unknown status will become.
      const mayMove = moved.length === 0 && /^(PENDING|ACTIVE|UNDER_REVIEW)$/.test(status ?? "")
      if (mayMove) return [{ ...movement, hasMoved: false, isPending: status === "PENDING" }]
      const all = status === undefined ? [row] : moved
      return all.map(() => ({ ...movement, hasMoved: true, isPending: false }))
    }
    const movements = yield* Effect.forEach(Object.values(kinds), ({ kind, rows }) =>
      Effect.map(rows(sandbox), (made) => made.flatMap((row) => movementsOf(kind, row)))
    )
    return { movements: movements.flat(), exchanges: yield* sandbox.exchanges }
  })

/** The movements and requests of another order, which began then. A key that was sent before is a key of this order. */
export const since = (then: Books, { exchanges, movements }: Books): Books => {
  const own = new Set(then.exchanges.flatMap(({ key }) => key ?? []))
  const isOwn = ({ key }: Pick<Movement, "key">) => key !== undefined && own.has(key)
  return {
    movements: movements.filter((one) => !isOwn(one) && !has(then, one)),
    exchanges: exchanges.slice(then.exchanges.length).filter((one) => !isOwn(one))
  }
}

const has = ({ movements }: Books, { name }: Movement) => movements.some((one) => one.name === name)

/** The books without those of another order. */
export const without = (other: Books, { exchanges, movements }: Books): Books => {
  const others = new Set(other.exchanges.map(({ index }) => index))
  return {
    movements: movements.filter((one) => !has(other, one)),
    exchanges: exchanges.filter(({ index }) => !others.has(index))
  }
}

/** Tells the orders of a run apart, by its calm run. */
export interface Calm extends ReturnType<typeof calmOf> {}

/** The books are those of a calm run whose script ran once. */
export const calmOf = ({ exchanges, movements }: Books) => {
  const keysOf = (operation: string | undefined) =>
    new Set(exchanges.filter((one) => one.operation === operation).map(({ key }) => key))
  return {
    movements,
    /** An operation has one order, without a name, or one for each request if the calm run has several keys. */
    orderOf: (exchange: Exchange) => (keysOf(exchange.operation).size > 1 ? bodyOf(exchange) : ""),
    mostPerMinute: Math.max(100, 10 * exchanges.length)
  }
}

const parse = Schema.decodeUnknownOption(Schema.parseJson(Schema.Object))

/** The request without its key, in one form. */
const bodyOf = ({ body }: Exchange): string => {
  const text = new TextDecoder().decode(Redacted.value(body))
  const members = Option.map(parse(text), (json) => ({ ...json, idempotency_key: undefined }))
  return Option.match(members, { onNone: () => text, onSome: canonical })
}

const list = (all: ReadonlyArray<Movement>) => {
  const named = all
    .slice(0, 2)
    .map(({ key, money, name }) => `${name} of ${money}${key ? ` (key ${key})` : ""}`)
  return [...named, ...(all.length > 2 ? [`${all.length - 2} more`] : [])].join(" and ")
}

const times = (often: number) => (often === 2 ? "twice" : `${often} times`)

/** Rule 1: no operation moves money twice. */
export const movedTwice = ({ exchanges, movements }: Books, calm: Calm): string | undefined => {
  const orderOf = ({ key }: Movement) => {
    const made = exchanges.find((one) => key !== undefined && one.key === key)
    return made === undefined ? "" : calm.orderOf(made)
  }
  const orders = Array.groupBy(movements, (one) => `${one.kind} ${orderOf(one)}`)
  for (const all of Object.values(orders)) {
    const [one] = all
    const { kind } = one
    const expected = calm.movements.filter((one) => one.kind === kind).length
    const allowed = orderOf(one) === "" ? Math.max(expected, 1) : 1
    if (all.length <= allowed) continue
    const moved = all.filter(({ hasMoved }) => hasMoved).length
    if (kind === "payment link")
      return `${all.length} payment links can be paid for one order: ${list(all)}.`
    const what = moved > allowed ? `moved ${times(moved)}` : `may move ${times(all.length)}`
    return `Money ${what} for one order, by ${list(all)}.`
  }
  return undefined
}

/** Rule 2: nobody is told what is not so. The books are those before the response and those after it. */
export const lie = (told: Told, before: Books, after: Books, calm: Calm): string | undefined => {
  const [first] = before.movements
  if (told === "not paid" && first !== undefined) {
    const state = first.hasMoved ? "the money had moved" : "the money could still move"
    return `The buyer was told “not paid”, but ${state}: ${first.kind} ${list([first])}.`
  }
  const moved = after.movements.filter(({ hasMoved }) => hasMoved).length
  if (told === "paid" && moved < Math.max(1, calm.movements.length)) {
    const why = after.movements.length > moved ? "is not final yet" : "has not moved"
    return `The buyer was told “paid”, but the money ${why}.`
  }
  return undefined
}

const isUnknown = ({ ending, fault }: Exchange): boolean =>
  typeof ending === "number"
    ? ending >= 500 ||
      [408, 409].includes(ending) ||
      // The response of the caller says nothing about the outcome.
      /^(truncated body|response of somebody else)$/.test(fault?.name ?? "")
    : !fault?.name.startsWith("no connection")

/** Rule 4: after an unknown outcome, the same request with the same key. */
export const changedKey = ({ exchanges }: Books, calm: Calm): string | undefined => {
  const writes = exchanges.filter((one) => one.key !== undefined && isWrite(one.operation ?? ""))
  for (const [index, write] of writes.entries()) {
    const { atMillis: now, key, operation } = write
    const earlier = writes
      .slice(0, index)
      .filter((one) => one.operation === operation && calm.orderOf(one) === calm.orderOf(write))
    if (earlier.some((one) => one.key === key && bodyOf(one) !== bodyOf(write)))
      return `The key ${key} was sent with two different requests.`
    const others = earlier.filter((one) => one.key !== key)
    for (const [other, all] of Object.entries(Array.groupBy(others, (one) => one.key ?? ""))) {
      // A refusal says nothing about an earlier request.
      const last = all.filter((one) => isUnknown(one) || Number(one.ending) < 300).at(-1)
      const isOpen = all.some(({ atMillis, tookMillis = Infinity }) => atMillis + tookMillis > now)
      if (isOpen || (last && isUnknown(last)))
        return `The outcome of the key ${other} was unknown, and the same order was sent with another key, ${key}.`
    }
  }
  return undefined
}

/** Rule 4: no two orders have one key. */
export const sharedKey = ({ exchanges }: Books, other: Books): string | undefined => {
  const keys = other.exchanges.flatMap(({ key }) => key ?? [])
  const shared = exchanges.find(({ key }) => key !== undefined && keys.includes(key))
  return shared && `The key ${shared.key} was sent for two orders.`
}

/** Rule 5: no storm. Of the times of arrival. */
export const storm = (arrivals: ReadonlyArray<number>, most: number): string | undefined => {
  const [earlier = -Infinity, last = 0] = [arrivals.at(-most - 1), arrivals.at(-1)]
  return last - earlier < 60_000
    ? `More than ${most} requests were sent within a minute.`
    : undefined
}

/** The remedy of each rule. */
export const remedies: Readonly<Record<Rule, string>> = {
  1: "Derive the key from the order, or store it before the request is sent. Send that key until the outcome is known. A payment link has no key: after an unknown outcome, list the links, or let a person decide.",
  2: "After an unknown outcome say that the payment is being verified. Say “paid” only after COMPLETED, and “not paid” only after a status that is final for you, or an error that says that nothing was applied. Compare the id and the amount of a response with those of the order.",
  3: "Store the request and its key before it is sent. In the worker, continue each open order: send the same request again, or read the payment. If nobody can know the outcome, a person decides: tell “review”.",
  4: "Repeat the same bytes with the same key until a response says what became of them. A refusal of a later request says nothing about an earlier one.",
  5: "Pause between requests, longer each time, and honour Retry-After."
}
