/**
 * A key that was used before for another request: the service responds with the resource of that request
 * to each attempt.
 */
import { assert, describe } from "@effect/vitest"
import type * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const Order = Schema.Struct({
  amount: Schema.String,
  currency: Schema.String,
  payee: Schema.optional(Schema.String.pipe(Sensitive.mark))
})

const MadeOrder = Schema.Struct({
  id: Schema.optional(Schema.String),
  reference: Schema.optional(Schema.String),
  amount: Schema.optional(Schema.String),
  currency: Schema.optional(Schema.String),
  payee: Schema.optional(Schema.String)
})

const CardOrder = Schema.Struct({ currency: Schema.String, key: IdempotencyKey.IdempotencyKey })

const members = [
  { field: "amount", as: "amount" },
  { field: "currency", as: "code" },
  { field: "payee", as: "phone" }
] as const

const group = Operation.group("Orders", {
  create: Operation.keyed({
    method: "POST",
    path: "/orders",
    summary: "Create an order",
    access: "bearer",
    headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
    payload: Order,
    success: MadeOrder,
    key: { header: "idempotency-key" },
    checks: { members }
  }),
  createOnce: Operation.once({
    method: "POST",
    path: "/orders",
    summary: "Create an order",
    access: "bearer",
    payload: Order,
    success: MadeOrder,
    checks: { members }
  }),
  issue: Operation.keyed({
    method: "POST",
    path: "/cards",
    summary: "Issue a card",
    access: "bearer",
    payload: CardOrder,
    success: Schema.Struct({ card: Schema.Struct({ id: Schema.String }) }),
    key: { body: "key" },
    checks: { in: "card", members: [{ field: "currency", as: "code" }] }
  })
})

const key = IdempotencyKey.derive("order", "42")
const payee = "+2290161234567"
const payload = { amount: "1500", currency: "XOF", payee }

const own = { id: "order-42", reference: "R-42", amount: "1500.0000", currency: "XOF", payee }
const other = { ...own, id: "order-41", reference: "R-41", amount: "700.0000" }
const third = { ...own, id: "order-40", reference: "R-40", amount: "900.0000" }

const success = (data: unknown) => FakeService.answer(data, 201)

const make = (
  reactions: readonly [FakeService.Reaction, ...Array<FakeService.Reaction>],
  options?: FakeService.Options
) =>
  Effect.map(FakeService.make(reactions, options), ({ gateway, received }) => ({
    calls: gateway.calls(group),
    received
  }))

const createOver = (
  ...reactions: readonly [FakeService.Reaction, ...Array<FakeService.Reaction>]
) =>
  Effect.gen(function* () {
    const { calls, received } = yield* make(reactions)
    const end = yield* Elapsed.toTheEnd(
      Effect.either(calls.create({ headers: { "idempotency-key": key }, payload }))
    )
    return { end, sent: received.length }
  })

const keyReused = (end: Either.Either<unknown, Errors.KeyedWriteError>) =>
  Effect.map(Effect.flip(end), (error) => {
    assert(error._tag === "KeyReused", error._tag)
    return error
  })

describe("the same other resource twice", () => {
  Test.effect("ends the call; its error has the key, the resource, the differences", function* () {
    const { end, sent } = yield* createOver(success(other))
    const error = yield* keyReused(end)
    assert.strictEqual(sent, 2)
    assert.strictEqual(error.operation, "Orders.create")
    assert.strictEqual(error.key, key)
    assert.strictEqual(error.id, "order-41")
    assert.strictEqual(error.reference, "R-41")
    assert.deepStrictEqual(error.differs, ["amount"])
    assert.strictEqual(error.attempts, 2)
    for (const word of [key, "order-41", "R-41", "amount"]) assert.include(error.message, word)
  })

  Test.effect("lists every member that differs, without values", function* () {
    const { end } = yield* createOver(
      success({ ...other, currency: "XAF", payee: "+2290199999999" })
    )
    const error = yield* keyReused(end)
    assert.deepStrictEqual(error.differs, ["amount", "currency", "payee"])
    assert.notMatch(JSON.stringify(error) + error.message, /61234567|99999999|1500|700/)
  })

  for (const [what, between] of [
    ["a failure", FakeService.failure(503)],
    ["a lost response", { drop: "ECONNRESET" }],
    ["a response that is not an envelope", { status: 200, body: "<html>" }]
  ] as const) {
    Test.effect(`ends the call with ${what} in between`, function* () {
      const { end, sent } = yield* createOver(success(other), between, success(other))
      const error = yield* keyReused(end)
      assert.strictEqual(sent, 3)
      assert.strictEqual(error.attempts, 3)
    })
  }

  const { id: _, ...withoutId } = other
  for (const [when, resource, id] of [
    ["it has a reference but no id", withoutId, undefined],
    ["its id is empty", { ...other, id: "" }, undefined],
    ["other fields are invalid", { ...other, payee: 7 }, "order-41"]
  ] as const) {
    Test.effect(`is recognised when ${when}`, function* () {
      const { end, sent } = yield* createOver(success(resource))
      const error = yield* keyReused(end)
      assert.deepInclude(error, { reference: "R-41", id })
      assert.strictEqual(sent, 2)
    })
  }

  Test.effect("is recognised in a member of the response", function* () {
    const { calls, received } = yield* make([
      success({ card: { id: "card-1", currency: "USD" }, fee: { id: "fee-1" } })
    ])
    const end = yield* Elapsed.toTheEnd(
      Effect.either(calls.issue({ payload: { currency: "XOF", key } }))
    )
    const error = yield* keyReused(end)
    assert.deepInclude(error, { id: "card-1", key, differs: ["currency"] })
    assert.strictEqual(received.length, 2)
  })
})

describe("the response to another request", () => {
  Test.effect("does not end the call if it is received once", function* () {
    const { end, sent } = yield* createOver(success(other), success(own))
    assert.deepStrictEqual(yield* end, own)
    assert.strictEqual(sent, 2)
  })

  Test.effect("leaves the outcome unknown if its resource differs each time", function* () {
    const { end, sent } = yield* createOver(
      success(other),
      success(third),
      success({ ...third, id: "order-39" }),
      success({ ...third, id: "order-38" }),
      success({ ...third, id: "order-37" })
    )
    const error = yield* Effect.flip(end)
    assert(error._tag === "OutcomeUnknown", error._tag)
    assert.strictEqual(error.key, key)
    assert(error.cause._tag === "MalformedResponseError")
    assert.strictEqual(error.cause.reason, "AnotherSubject")
    assert.strictEqual(sent, 5)
  })

  Test.effect("leaves the outcome unknown if it has no id", function* () {
    const { end, sent } = yield* createOver(success({ amount: "700.0000", currency: "XOF" }))
    assert.strictEqual((yield* Effect.flip(end))._tag, "OutcomeUnknown")
    assert.strictEqual(sent, 5)
  })

  Test.effect("leaves the outcome unknown if no attempt is left", function* () {
    const { calls, received } = yield* make([success(other)], { retry: { attempts: 1 } })
    const create = calls.create({ headers: { "idempotency-key": key }, payload })
    assert.strictEqual((yield* Effect.flip(create))._tag, "OutcomeUnknown")
    assert.strictEqual(received.length, 1)
  })

  Test.effect("leaves a write without a key unknown, which is not retried", function* () {
    const { calls, received } = yield* make([success(other)])
    const error = yield* Effect.flip(Elapsed.toTheEnd(calls.createOnce({ payload })))
    assert(error._tag === "UnkeyedOutcomeUnknown", error._tag)
    assert.notProperty(error, "key")
    assert.strictEqual(received.length, 1)
  })
})
