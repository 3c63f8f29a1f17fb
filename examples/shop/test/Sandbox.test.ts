/**
 * The shop on the sandbox with scripted faults. In each case the sandbox tells how many payments it made.
 */
import { assert, describe, it } from "@effect/vitest"
import { Payments } from "@manilla/payments"
import { Fault, Sandbox, SandboxClient, SandboxGateway } from "@manilla/sandbox"
import { Effect, Layer, TestClock } from "effect"
import * as Attempt from "../src/Attempt.js"
import * as Shop from "../src/Shop.js"
import * as Buyer from "./utils/Buyer.js"

const shop = (options: Sandbox.Options = {}) =>
  Buyer.shop(
    Payments.layer.pipe(
      Layer.provideMerge(SandboxGateway.layer()),
      Layer.provideMerge(SandboxClient.layer(options))
    )
  )

const operation = "Payments.create"

const add = (fault: Fault.Fault) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.add(fault))

/** The keys of the payments that the sandbox made, and of those that were paid. */
const made = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const payments = yield* sandbox.paymentIntents
  return payments.map(({ idempotency_key }) => idempotency_key)
})

const paid = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  return (yield* sandbox.transactions).map(({ amount }) => amount)
})

/** A payment under the key of an order, which somebody else made. */
const madeBefore = (id: string, amount: string) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const order = { id, amount, currency: Shop.currency }
    const request = Shop.requestOf(order, { method: "mtn_bj", phone: Buyer.form.phone })
    return yield* payments.create(request, { key: Attempt.keyOf(id, 1) })
  })

const once = (id: string) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* made, [Attempt.keyOf(id, 1)])
    assert.deepStrictEqual(yield* paid, ["6500.0000"])
  })

describe("an order is paid once", () => {
  it.effect("without faults", () =>
    Effect.gen(function* () {
      const id = yield* Buyer.order()
      const pending = yield* Buyer.until(id, "Pending")
      assert.include(pending.text, "Approve the payment of 6,500 XOF")
      assert.include((yield* Buyer.until(id, "Paid")).text, "We received 6,500 XOF")
      yield* once(id)
    }).pipe(Effect.provide(shop()))
  )

  const lost = {
    "all responses of the first call are lost": Fault.dropAfter({ operation, count: 5 }),
    "all requests of the first call are lost": Fault.dropBefore({ operation, count: 5 }),
    "the service answers 503": Fault.status(503, { operation, count: 12 }),
    "the service responds with 503 although it made the payment": Fault.status(503, {
      operation,
      count: 7,
      processed: true
    }),
    "the service answers 409": Fault.status(409, { operation, count: 2, processed: true }),
    "the service answers with HTML": Fault.body("<html>", { operation, count: 6 }),
    "the service answers with half of JSON": Fault.body('{"success":tr', { operation, count: 6 })
  }
  for (const [name, fault] of Object.entries(lost)) {
    it.effect(`if ${name}, and the buyer reads that it is verified`, () =>
      Effect.gen(function* () {
        yield* add(fault)
        const id = yield* Buyer.order()
        const seen = new Set<string>()
        let view = yield* Buyer.see(id)
        while (view.state !== "Paid") {
          yield* TestClock.adjust("1 second")
          view = yield* Buyer.see(id)
          assert.notInclude(["Unpaid", "Review"], view.state)
          seen.add(view.title)
        }
        assert.include([...seen], "We are verifying your payment")
        yield* once(id)
      }).pipe(Effect.provide(shop()))
    )
  }

  it.effect("if reads fail", () =>
    Effect.gen(function* () {
      yield* add(Fault.status(500, { operation: "Payments.get", count: 9 }))
      const id = yield* Buyer.order()
      yield* Buyer.until(id, "Paid")
      yield* once(id)
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if its success cannot be read: then it reads the payment, and sends nothing", () =>
    Effect.gen(function* () {
      const id = crypto.randomUUID()
      const payment = yield* madeBefore(id, "6500")
      const data = { ...payment, status: 7 }
      yield* add(Fault.body(JSON.stringify({ success: true, data, meta: {} }), { operation }))
      yield* Buyer.order({ order: id })
      yield* Buyer.until(id, "Paid")
      yield* once(id)
      const { exchanges } = yield* Sandbox.Sandbox
      const sent = (yield* exchanges).filter((it) => it.operation === operation)
      assert.lengthOf(sent, 2)
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if the buyer sends the form twice", () =>
    Effect.gen(function* () {
      const id = yield* Buyer.order()
      yield* Buyer.order({ order: id, phone: "+2290199999999" })
      yield* Buyer.until(id, "Paid")
      yield* Buyer.tryAgain(id, 1)
      yield* Buyer.tryAgain(id, 2)
      yield* TestClock.adjust("1 minute")
      yield* once(id)
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if a form has another number than the next attempt", () =>
    Effect.gen(function* () {
      const id = yield* Buyer.order({ phone: "+999000000020" })
      yield* Buyer.until(id, "Unpaid")
      for (const number of [0, 1, 3]) yield* Buyer.tryAgain(id, number)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Buyer.see(id)).state, "Unpaid")
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.until(id, "Paid")
      assert.deepStrictEqual(yield* made, [Attempt.keyOf(id, 2)])
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if the buyer tries again while it is verified", () =>
    Effect.gen(function* () {
      yield* add(Fault.dropAfter({ operation, count: 6 }))
      const id = yield* Buyer.order()
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.until(id, "Paid")
      yield* once(id)
    }).pipe(Effect.provide(shop()))
  )
})

describe("the buyer can try again under a new key", () => {
  const insufficient = "+999000000020"

  it.effect("if the service refused, and the old attempt stays", () =>
    Effect.gen(function* () {
      const id = yield* Buyer.order({ phone: insufficient })
      const view = yield* Buyer.until(id, "Unpaid")
      assert.include(view.text, "did not accept this payment")
      const { text } = yield* Buyer.get(`/orders/${id}`)
      assert.include(text, `name="number" value="2"`)
      assert.include(text, `<option value="mtn_bj" selected>`)
      assert.include(text, `value="${insufficient}"`)
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.until(id, "Paid")
      assert.deepStrictEqual(yield* made, [Attempt.keyOf(id, 2)])
      assert.include((yield* Buyer.get(`/orders/${id}`)).text, "Try 1")
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if the payment ended without success", () =>
    Effect.gen(function* () {
      const id = yield* Buyer.order({ phone: "+999000000005" })
      assert.include((yield* Buyer.until(id, "Unpaid")).text, "was not completed")
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.until(id, "Paid")
      assert.deepStrictEqual(yield* paid, ["6500.0000"])
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if the token was refused, and so nothing was sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.setStanding({ kybApproved: false })
      const id = yield* Buyer.order()
      assert.include((yield* Buyer.until(id, "Unpaid")).text, "a problem on our side")
      yield* sandbox.setStanding({ kybApproved: true })
      yield* Buyer.tryAgain(id, 2)
      yield* Buyer.until(id, "Paid")
    }).pipe(Effect.provide(shop()))
  )
})

describe("a person decides, and the buyer cannot pay again", () => {
  const isForAPerson = (id: string) =>
    Effect.gen(function* () {
      const { text } = yield* Buyer.until(id, "Review")
      assert.include(text, "Please do not pay again")
      const before = yield* made
      yield* Buyer.tryAgain(id, 2)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* made, before)
    })

  it.effect("if the key belongs to another request", () =>
    Effect.gen(function* () {
      const id = crypto.randomUUID()
      yield* madeBefore(id, "1")
      yield* Buyer.order({ order: id })
      yield* isForAPerson(id)
    }).pipe(Effect.provide(shop({ idempotency: { other_body: "replay" } })))
  )

  it.effect("if the service refuses after a request that may have been applied", () =>
    Effect.gen(function* () {
      yield* add(Fault.dropAfter({ operation, count: 5 }))
      yield* add(Fault.status(422, { operation }))
      const id = yield* Buyer.order()
      yield* isForAPerson(id)
    }).pipe(Effect.provide(shop()))
  )

  it.effect("if the status is unknown", () =>
    Effect.gen(function* () {
      yield* isForAPerson(yield* Buyer.order({ phone: "+999000000012" }))
    }).pipe(Effect.provide(shop()))
  )
})
