import { assert, it } from "vitest"
import * as Order from "./order.js"

const now = Date.UTC(2026, 10, 27)
const order: Order.Order = {
  id: "6f1b8a52-3c1f-4a53-9a7e-6a2f54d1c0de",
  state: "open",
  request: Order.requestOf({ order: "", phone: "+2290161234567", amount: "1500" }),
  sends: 1,
  payment: null,
  placedAt: now,
  dueAt: now
}
const id = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"

it.each([
  ["UnprocessableError", "notApplied", 1, { state: "not paid" }],
  ["RateLimitError", "notApplied", 1, { state: "not paid" }],
  ["ForbiddenError", "notApplied", 1, { state: "not paid" }],
  ["UnprocessableError", "notApplied", 2, {}],
  ["OutcomeUnknown", "unknown", 1, {}],
  ["KeyReused", "unknown", 1, { state: "review" }],
  ["AppliedUnreadable", "applied", 1, { state: "review" }]
] as const)(
  "after %s (%s) of request %i, the order changes to %o",
  (_tag, outcome, sends, change) => {
    assert.deepStrictEqual(Order.afterError({ ...order, sends }, { _tag }, outcome), change)
  }
)

it("follows the payment of a response that it cannot read", () => {
  const error = { _tag: "AppliedUnreadable", id }
  assert.deepStrictEqual(Order.afterError(order, error, "applied"), { payment: id })
  const broken = { _tag: "AppliedUnreadable", id: "../42" }
  assert.deepStrictEqual(Order.afterError(order, broken, "applied"), { state: "review" })
})

it("ends an order that is open after a day, and never one that is paid", () => {
  const later = now + 25 * 60 * 60 * 1000
  assert.strictEqual(Order.next(order, {}, later).state, "review")
  assert.strictEqual(Order.next(order, { state: "paid" }, later).state, "paid")
  assert.strictEqual(Order.next(order, {}, now + 60_000).state, "open")
})

it("waits for a quarter of the age of an order, from 1 second to 5 minutes", () => {
  const pauseAt = (age: number) => Order.next(order, {}, now + age).dueAt - (now + age)
  assert.deepStrictEqual([0, 60_000, 3_600_000].map(pauseAt), [1000, 15_000, 300_000])
})
