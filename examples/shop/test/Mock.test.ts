/**
 * The shop with a test double of `Payments`: what the store has when a request is sent.
 */
import { assert, it } from "@effect/vitest"
import { Errors } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Deferred, Effect, Layer, Option, Schema, TestClock } from "effect"
import * as Attempt from "../src/Attempt.js"
import * as Orders from "../src/Orders.js"
import * as Shop from "../src/Shop.js"
import * as Worker from "../src/Worker.js"
import * as Buyer from "./utils/Buyer.js"

const withStatus = (status: string) =>
  Schema.decodeSync(PaymentIntent.PaymentIntent)({
    id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
    status,
    amount: "6500.0000",
    currency: "XOF"
  })

const payment = withStatus("COMPLETED")

const { id } = payment
const order = { id, product: "beans", amount: "6500", currency: "XOF", details: {} }
const request = Shop.requestOf(order, { method: "mtn_bj", phone: Buyer.form.phone })

/** Stores the order with a first request, and takes it for 30 seconds. */
const claimed = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  yield* orders.place(order)
  yield* orders.attempt(id, 1, request)
  return yield* claim
})

const claim = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const [attempt] = yield* orders.claim(1, 30_000)
  return attempt ?? assert.fail("nothing is due")
})

const memory = Effect.provide(Orders.layer(":memory:"))

type Create = Payments.Service["create"]

/** The shop with a creation of payments of one's own; reads give a completed payment. */
const withCreate = (create: Create) =>
  Buyer.shop(Layer.mock(Payments.Payments, { create, get: () => Effect.succeed(payment) }))

it.effect("stores the request and its key before it sends them", () =>
  Effect.gen(function* () {
    const sending = yield* Deferred.make<Parameters<Create>>()
    const create: Create = (...call) =>
      Effect.zipRight(Deferred.succeed(sending, call), Effect.never)
    yield* Effect.gen(function* () {
      const id = yield* Buyer.order()
      const [request, { key }] = yield* Deferred.await(sending)
      const { attempts } = Option.getOrThrow(
        yield* Effect.flatMap(Orders.Orders, ({ find }) => find(id))
      )
      assert.lengthOf(attempts, 1)
      assert.strictEqual(attempts[0]?.key, key)
      assert.deepStrictEqual(attempts[0]?.request, request)
      assert.strictEqual(attempts[0]?.sends, 1)
      assert.strictEqual((yield* Buyer.see(id)).title, "Starting your payment")
    }).pipe(Effect.provide(withCreate(create)))
  })
)

it.effect("charges the stored order, also if another form with its id comes later", () =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const id = crypto.randomUUID()
    yield* orders.place({ id, product: "beans", amount: "6500", currency: "XOF", details: {} })
    yield* Buyer.order({ order: id, product: "set" })
    const { attempts } = Option.getOrThrow(yield* orders.find(id))
    assert.strictEqual(attempts[0]?.request.amount, "6500")
  }).pipe(Effect.provide(withCreate(() => Effect.never)))
)

it.effect("repeats exactly the same request under the same key after an unknown outcome", () =>
  Effect.gen(function* () {
    const calls: Array<readonly [request: unknown, key: string]> = []
    const create: Create = (request, { key }) => {
      calls.push([request, key])
      if (calls.length === 4) return Effect.succeed(payment)
      const common = { operation: "Payments.create", message: "lost" }
      const cause = new Errors.TimeoutError({ ...common, afterMillis: 30_000 })
      return Effect.fail(new Errors.OutcomeUnknown({ ...common, key, cause }))
    }
    yield* Effect.gen(function* () {
      const id = yield* Buyer.order()
      yield* Buyer.until(id, "Paid")
      assert.lengthOf(calls, 4)
      for (const call of calls) assert.deepStrictEqual(call, calls[0])
    }).pipe(Effect.provide(withCreate(create)))
  })
)

it.effect("never sends what another process is sending, and continues when that one died", () =>
  Effect.gen(function* () {
    yield* claimed
    const sent = yield* Deferred.make<void>()
    const create: Create = () => Effect.zipRight(Deferred.succeed(sent, undefined), Effect.never)
    yield* Effect.gen(function* () {
      let seconds = 0
      while (!(yield* Deferred.isDone(sent))) {
        yield* TestClock.adjust("1 second")
        // The driver of the database uses the real event loop.
        yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
        seconds++
      }
      assert.isAtLeast(seconds, 30)
    }).pipe(
      Effect.provide(
        Worker.layer(new Set()).pipe(Layer.provide(Layer.mock(Payments.Payments, { create })))
      )
    )
  }).pipe(memory)
)

it.effect("sends nothing if the process was stopped, and another one has taken the attempt", () =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const stopped = yield* claimed
    yield* TestClock.adjust("31 seconds")
    // The other one is refused. A person finds no payment in the service's records, and the buyer pays again.
    const change = { state: "Review", payment_id: null, reason: null, note: null } as const
    yield* orders.settle(yield* claim, change, 0)
    const [review] = yield* orders.reviews
    yield* orders.decide(review ?? assert.fail("nothing to decide"), "Unpaid")
    yield* orders.attempt(id, 2, request)
    const second = yield* claim
    const sent: Array<string> = []
    const create: Create = (_, { key }) => {
      sent.push(key)
      return Effect.succeed(payment)
    }
    const payments = Layer.mock(Payments.Payments, { create })
    for (const attempt of [second, stopped]) {
      yield* Effect.provide(Worker.step(attempt, new Set()), payments)
    }
    assert.deepStrictEqual(sent, [second.key])
  }).pipe(memory)
)

it.effect("sends nothing if the lease could end before the response", () =>
  Effect.gen(function* () {
    const attempt = yield* claimed
    yield* TestClock.adjust("11 seconds")
    // A double without `create`: a call of it fails.
    yield* Effect.provide(Worker.step(attempt, new Set()), Layer.mock(Payments.Payments, {}))
    yield* TestClock.adjust("19 seconds")
    assert.strictEqual((yield* claim).sends, 2)
  }).pipe(memory)
)

/** The state of an attempt that is open after a day. */
const stale = (
  payments: Layer.Layer<Payments.Payments>,
  payment_id: PaymentIntent.PaymentIntentId | null
) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    yield* claimed
    yield* TestClock.adjust("25 hours")
    const attempt = { ...(yield* claim), payment_id }
    yield* Effect.provide(Worker.step(attempt, new Set()), payments)
    return (yield* orders.reviews).length === 1 ? "Review" : "decided"
  }).pipe(memory)

it.effect("sends nothing after a day: the service may have forgotten the key", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* stale(Layer.mock(Payments.Payments, {}), null), "Review")
  })
)

it.effect("reads a payment after a day, and lets a person decide if it is still pending", () =>
  Effect.gen(function* () {
    const reading = (status: string) =>
      Layer.mock(Payments.Payments, {
        get: () => Effect.succeed(withStatus(status))
      })
    assert.strictEqual(yield* stale(reading("PENDING"), payment.id), "Review")
    assert.strictEqual(yield* stale(reading("COMPLETED"), payment.id), "decided")
  })
)

it.effect(
  "reads a payment for another day after the decision `again`, and keeps its last status",
  () =>
    Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const read = (get: Payments.Service["get"]) =>
        Effect.gen(function* () {
          const payments = Layer.mock(Payments.Payments, { get })
          yield* Effect.provide(Worker.step(yield* claim, new Set()), payments)
          const { attempts } = Option.getOrThrow(yield* orders.find(id))
          return attempts[0] ?? assert.fail("no attempt")
        })
      const pending = () => Effect.succeed(withStatus("PENDING"))
      const common = { operation: "Payments.get", message: "no connection" }
      const failed = () =>
        Effect.fail(new Errors.TransportError({ ...common, sent: false, code: "ECONNREFUSED" }))

      yield* orders.settle(yield* claimed, Attempt.afterCreation(withStatus("PENDING")), 0)
      yield* TestClock.adjust("25 hours")
      const first = yield* read(pending)
      assert.strictEqual(first.state, "Review")
      yield* orders.decide(first, "Pending")
      assert.strictEqual((yield* read(failed)).state, "Pending")
      yield* TestClock.adjust("23 hours")
      assert.strictEqual((yield* read(failed)).state, "Pending")
      yield* TestClock.adjust("2 hours")
      const second = yield* read(failed)
      assert.strictEqual(second.state, "Review")
      assert.include(second.note, "The last one was PENDING.")
      yield* orders.decide(second, "Pending")
      assert.strictEqual((yield* read(() => Effect.succeed(payment))).state, "Paid")
    }).pipe(memory)
)
