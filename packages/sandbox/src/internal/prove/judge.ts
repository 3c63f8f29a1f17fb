/**
 * The judge of a run: the ledger and the log of the sandbox, never the answer of a mock.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Exchange } from "../../Exchange.js"
import type * as Sandbox from "../../Sandbox.js"
import { canonical } from "../rules/idempotency.js"
import { isWrite } from "./faults.js"

/** What the checkout says about its order. */
export type Told = "paid" | "not paid" | "open" | "review"

export interface Violation {
  /** 1 to 5, as in the documentation of `Prove`. */
  readonly rule: 1 | 2 | 3 | 4 | 5
  readonly sentence: string
}

/** An operation that has moved money, or still may. */
interface Movement {
  readonly kind: "payment" | "payout" | "card" | "payment link"
  readonly name: string
  readonly key: string | undefined
  readonly money: string
  readonly hasMoved: boolean
}

export interface Books {
  readonly movements: ReadonlyArray<Movement>
  /** Writes that were sent, and have not been processed. */
  readonly onTheirWay: number
  readonly exchanges: ReadonlyArray<Exchange>
}

export const read = (sandbox: Sandbox.Service, onTheirWay: number): Effect.Effect<Books> =>
  Effect.gen(function* () {
    const all = yield* Effect.all({
      cards: sandbox.cards,
      links: sandbox.paymentLinks,
      payments: sandbox.paymentIntents,
      payouts: sandbox.payouts,
      transactions: sandbox.transactions
    })
    const uses = (reference = "") =>
      all.transactions.filter(({ source }) => source === reference).length
    interface Row {
      readonly amount: string
      readonly currency: string
      readonly reference?: string | undefined
      readonly status: string
    }
    const movement = (
      kind: Movement["kind"],
      { amount, currency, reference = "", status }: Row,
      key?: string
    ): ReadonlyArray<Movement> => {
      const used = uses(reference)
      const isOpen = used === 0 && /^(PENDING|ACTIVE)$/.test(status)
      const one = { kind, name: reference, key, money: `${amount} ${currency}`, hasMoved: used > 0 }
      return Array.from({ length: isOpen ? 1 : used }, () => one)
    }
    return {
      movements: [
        ...all.payments
          .filter(({ operation }) => operation === "COLLECTION" || operation === "DEPOSIT")
          .flatMap((row) => movement("payment", row, row.idempotency_key)),
        ...all.payouts.flatMap((row) => movement("payout", row, row.idempotency_key)),
        ...all.links.flatMap((row) => movement("payment link", row)),
        ...all.cards.map((card) => ({
          kind: "card" as const,
          name: card.id,
          key: card.issuance_reference,
          money: `${card.charged_amount} ${card.charged_currency}`,
          hasMoved: true
        }))
      ],
      onTheirWay,
      exchanges: yield* sandbox.exchanges
    }
  })

/** Tells the orders of a run apart, by its calm run. */
export interface Calm {
  /** The movements that the script makes when it runs once. */
  readonly movements: ReadonlyArray<Movement>
  /** The orders by the request of each: more than one if the calm run has several keys. */
  readonly hasManyOrders: (operation: string) => boolean
  readonly orderOf: (exchange: Exchange) => string
  readonly mostPerMinute: number
}

export const calmOf = ({ exchanges, movements }: Books): Calm => {
  const keys = new Map<string, Set<string>>()
  for (const { key, operation = "" } of exchanges) {
    if (key !== undefined) keys.set(operation, (keys.get(operation) ?? new Set()).add(key))
  }
  const hasManyOrders = (operation: string) => (keys.get(operation)?.size ?? 0) > 1
  return {
    movements,
    hasManyOrders,
    orderOf: (exchange) =>
      hasManyOrders(exchange.operation ?? "") ? bodyOf(exchange) : (exchange.operation ?? ""),
    mostPerMinute: Math.max(100, 10 * exchanges.length)
  }
}

const parse = Schema.decodeUnknownOption(Schema.parseJson(Schema.Object))

/** The request without its key, in one form. */
const bodyOf = ({ body }: Exchange): string => {
  const text = new TextDecoder().decode(Redacted.value(body))
  return Option.match(parse(text), {
    onNone: () => text,
    onSome: (json) => canonical({ ...json, idempotency_key: undefined })
  })
}

const list = (all: ReadonlyArray<Movement>) => {
  const named = all
    .slice(0, 2)
    .map(({ key, money, name }) => `${name} of ${money}${key ? ` (key ${key})` : ""}`)
  return [...named, ...(all.length > 2 ? [`${all.length - 2} more`] : [])].join(" and ")
}

/** Rule 1: no operation moves money twice. */
export const movedTwice = ({ exchanges, movements }: Books, calm: Calm): ReadonlyArray<Violation> =>
  Object.entries(groupBy(movements, (one) => orderKeyOf(one, exchanges, calm))).flatMap(
    ([order, all]) => {
      const expected = calm.movements.filter(({ kind }) => kind === all[0]?.kind).length
      const allowed = order === all[0]?.kind ? Math.max(expected, 1) : 1
      if (all.length <= allowed) return []
      const kind = all[0]?.kind ?? ""
      const moved = all.filter(({ hasMoved }) => hasMoved).length
      const times = (often: number) => (often === 2 ? "twice" : `${often} times`)
      const sentence =
        kind === "payment link"
          ? `${all.length} payment links can be paid for one order: ${list(all)}.`
          : moved > allowed
            ? `Money moved ${times(moved)} for one order, by ${list(all)}.`
            : `Money may move ${times(all.length)} for one order, by ${list(all)}.`
      return [{ rule: 1, sentence }]
    }
  )

const groupBy = <A>(all: ReadonlyArray<A>, by: (one: A) => string) => {
  const groups: Record<string, Array<A>> = {}
  for (const one of all) (groups[by(one)] ??= []).push(one)
  return groups
}

const orderKeyOf = ({ key, kind }: Movement, exchanges: Books["exchanges"], calm: Calm): string => {
  const made = key === undefined ? undefined : exchanges.find((one) => one.key === key)
  return made?.operation !== undefined && calm.hasManyOrders(made.operation)
    ? `${kind} ${calm.orderOf(made)}`
    : kind
}

/** Rule 2: nobody is told what is not so. The books are those before the answer and those after it. */
export const lie = (
  told: Told,
  before: Books,
  after: Books,
  calm: Calm
): ReadonlyArray<Violation> => {
  const lied = (sentence: string): ReadonlyArray<Violation> => [{ rule: 2, sentence }]
  const [first] = before.movements
  if (told === "not paid" && first !== undefined) {
    const state = first.hasMoved ? "the money had moved" : "the money could still move"
    return lied(`The buyer was told “not paid”, but ${state}: ${first.kind} ${list([first])}.`)
  }
  if (told === "not paid" && before.onTheirWay > 0 && after.onTheirWay > 0) {
    return lied(
      "The buyer was told “not paid”, but the money could still move: a request was on its way."
    )
  }
  const moved = after.movements.filter(({ hasMoved }) => hasMoved).length
  if (told === "paid" && moved < Math.max(1, calm.movements.length)) {
    const why = after.movements.length > moved ? "is not final yet" : "has not moved"
    return lied(`The buyer was told “paid”, but the money ${why}.`)
  }
  return []
}

/** Faults after which the caller has an answer that tells nothing. */
const garbled = new Set(["broken body", "other response"])

const isUnknown = ({ fault, outcome }: Exchange): boolean => {
  if (typeof outcome !== "number") return !fault?.name.startsWith("no connection")
  return outcome >= 500 || outcome === 408 || outcome === 409 || garbled.has(fault?.name ?? "")
}

/** Rule 4: after an unknown outcome, the same request with the same key. */
export const changedKeys = (
  exchanges: Books["exchanges"],
  calm: Calm
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const writes = exchanges.filter((one) => one.key !== undefined && isWrite(one.operation ?? ""))
  const add = (sentence: string) => violations.push({ rule: 4, sentence })
  for (const [index, write] of writes.entries()) {
    const earlier = writes
      .slice(0, index)
      .filter(
        (one) => one.operation === write.operation && calm.orderOf(one) === calm.orderOf(write)
      )
    const same = earlier.find((one) => one.key === write.key)
    if (same !== undefined && bodyOf(same) !== bodyOf(write)) {
      add(`The key ${write.key} was sent with two different requests.`)
    }
    for (const [key, all] of Object.entries(groupBy(earlier, (one) => one.key ?? ""))) {
      /** The last one whose end the caller had seen. A refusal tells nothing about an earlier request. */
      const last = all.filter((one) => isUnknown(one) || Number(one.outcome) < 300).at(-1)
      const isOpen = all.some(
        ({ atMillis, tookMillis }) => atMillis + (tookMillis ?? Infinity) > write.atMillis
      )
      if (key !== write.key && ((last !== undefined && isUnknown(last)) || isOpen)) {
        add(
          `The outcome of the key ${key} was unknown, and the same order was sent with another key, ${write.key}.`
        )
      }
    }
  }
  return violations.slice(0, 1)
}

/** Rule 5: no storm. Of the times of arrival. */
export const isStorm = (arrivals: ReadonlyArray<number>, mostPerMinute: number): boolean => {
  const earlier = arrivals.at(-mostPerMinute - 1)
  return earlier !== undefined && (arrivals.at(-1) ?? 0) - earlier < 60_000
}

export const storm = (mostPerMinute: number): Violation => ({
  rule: 5,
  sentence: `More than ${mostPerMinute} requests were sent within a minute.`
})

/** The remedy of each rule. */
export const remedies: Readonly<Record<Violation["rule"], string>> = {
  1: "Derive the key from the order, or store it before the request is sent. Send that key until the outcome is known. A payment link has no key: after an unknown outcome, list the links, or let a person decide.",
  2: "After an unknown outcome say that the payment is being verified. Say “paid” only after COMPLETED, and “not paid” only after a status that is final for you, or an error that says that nothing was applied.",
  3: "Store the request and its key before it is sent. In the worker, continue each open order: send the same request again, or read the payment. What nobody can know, a person decides: tell “review”.",
  4: "Repeat the same bytes with the same key until a response says what became of them. A refusal of a later request says nothing about an earlier one.",
  5: "Pause between requests, longer each time, and honour Retry-After."
}
