/**
 * The state machine: each error of a payment, before and after an earlier request of the same attempt.
 */
import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@manilla/core"
import { PaymentIntent } from "@manilla/payments"
import { Arbitrary, FastCheck, Schema } from "effect"
import * as Attempt from "../src/Attempt.js"
import * as Shop from "../src/Shop.js"
import { viewOf } from "../src/View.js"

const id = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"

const request = Shop.requestOf(
  { id, amount: "6500", currency: "XOF" },
  { method: "mtn_bj", phone: "+2290161234567" }
)

const sent = (sends: number): Attempt.Attempt => ({ ...Attempt.make(id, 1, request, 0), sends })

/** Any error of the creation of a payment. */
const errors = Arbitrary.make(Errors.KeyedWriteError)

const payment = (changes: Partial<typeof PaymentIntent.PaymentIntent.Encoded> = {}) =>
  Schema.decodeSync(PaymentIntent.PaymentIntent)({
    id,
    status: "COMPLETED",
    amount: "6500.0000",
    currency: "XOF",
    ...changes
  })

const unpaid = new Set(["FAILED"])

describe("an error", () => {
  it("lets the buyer pay again only if no request can have been applied", () =>
    FastCheck.assert(
      FastCheck.property(errors, FastCheck.integer({ min: 1, max: 3 }), (error, sends) => {
        const { state } = Attempt.afterError(sent(sends), error)
        const isSafe = sends === 1 && Errors.outcome(error) === "notApplied"
        assert.strictEqual(state === "Unpaid", isSafe, `${error._tag} after ${sends}`)
      }),
      { numRuns: 500 }
    ))

  it("never says that the buyer has not paid, unless no money moves", () =>
    FastCheck.assert(
      FastCheck.property(errors, FastCheck.integer({ min: 1, max: 2 }), (error, sends) => {
        const attempt = sent(sends)
        const { state, text, title } = viewOf({ ...attempt, ...Attempt.afterError(attempt, error) })
        const words = `${title} ${text}`
        assert.notMatch(words, /fail/i)
        if (state !== "Unpaid") assert.notMatch(words, /not paid|did not start|again\./)
        if (state === "Starting" || state === "Review") assert.match(words, /do not pay again/)
      }),
      { numRuns: 500 }
    ))

  const meaning = (error: Errors.KeyedWriteError, sends = 1) => {
    const { payment_id, state } = Attempt.afterError(sent(sends), error)
    return payment_id === null ? state : `${state} ${payment_id}`
  }
  const common = { operation: "Payments.create", message: "a message" }
  const unprocessable = new Errors.UnprocessableError({ ...common, status: 422 })
  const refused = new Errors.TransportError({ ...common, sent: false, code: "ECONNREFUSED" })
  const { key } = sent(1)

  it("of an unknown outcome sends the same request again", () => {
    const cause = new Errors.TimeoutError({ ...common, afterMillis: 1 })
    assert.strictEqual(meaning(new Errors.OutcomeUnknown({ ...common, key, cause })), "Starting")
  })

  it("of an unreadable success reads the payment, or is for a person", () => {
    const unreadable = { ...common, key, status: 201, issues: [] }
    assert.strictEqual(
      meaning(new Errors.AppliedUnreadable({ ...unreadable, id })),
      `Pending ${id}`
    )
    assert.strictEqual(meaning(new Errors.AppliedUnreadable(unreadable)), "Review")
    assert.strictEqual(meaning(new Errors.AppliedUnreadable({ ...unreadable, id: "7" })), "Review")
  })

  it("of a reused key is for a person", () => {
    const reused = new Errors.KeyReused({ ...common, key, differs: ["amount"], attempts: 2 })
    assert.strictEqual(meaning(reused), "Review")
  })

  it("of a refusal is for a person after a request that may have been applied", () => {
    assert.strictEqual(meaning(unprocessable, 1), "Unpaid")
    assert.strictEqual(meaning(unprocessable, 2), "Review")
  })

  it("of no connection is repeated after a request that may have been applied", () => {
    assert.strictEqual(meaning(refused, 1), "Unpaid")
    assert.strictEqual(meaning(refused, 2), "Starting")
  })
})

describe("a read", () => {
  const meaning = (changes: Parameters<typeof payment>[0]) =>
    Attempt.afterRead(sent(1), payment(changes), unpaid).state

  it("gives the state of the payment", () => {
    assert.strictEqual(meaning({}), "Paid")
    assert.strictEqual(meaning({ status: "PENDING" }), "Pending")
    assert.strictEqual(meaning({ status: "FAILED" }), "Unpaid")
  })

  it("is for a person if the status is unknown, or the payment is another", () => {
    assert.strictEqual(meaning({ status: "UNDER_REVIEW" }), "Review")
    assert.strictEqual(meaning({ amount: "65.0000" }), "Review")
    assert.strictEqual(meaning({ currency: "EUR" }), "Review")
  })
})

it("a pause is a whole number of milliseconds, from 1 second to 5 minutes", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.nat(90_000_000), (now) => {
      const pause = Attempt.pauseOf(sent(1), now)
      assert.isTrue(Number.isInteger(pause) && pause >= 1000 && pause <= 300_000)
    })
  ))
