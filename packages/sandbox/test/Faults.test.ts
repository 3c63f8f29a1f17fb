import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Payments from "@manilla/payments/Payments"
import * as Exchange from "@manilla/sandbox/Exchange"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { collection, key, phone, tests } from "@manilla/test-support/Sandboxed"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Inspectable from "effect/Inspectable"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import { credentialsBody, obtain, send } from "./utils/harness.js"

const test = tests()
const small = tests({ exchangeCapacity: 10 })

const operation = "Payments.create"

/** Creates a payment intent under faults, while the clock advances. */
const createUnder = (...faults: ReadonlyArray<Fault.Fault>) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const sandbox = yield* Sandbox.Sandbox
    yield* Effect.forEach(faults, sandbox.faults.add)
    const fiber = yield* Effect.fork(Effect.either(payments.create(collection, { key })))
    yield* TestClock.adjust("10 minutes")
    return {
      created: yield* Fiber.join(fiber),
      intents: yield* sandbox.paymentIntents,
      exchanges: (yield* sandbox.exchanges).filter((one) => one.operation === operation),
      pending: yield* sandbox.faults.pending
    }
  })

const endings = (exchanges: ReadonlyArray<Exchange.Exchange>) =>
  exchanges.map(({ ending }) => ending)

test("an unknown host fails before the request is sent", function* () {
  const baseUrl = "https://nowhere.example/api/v1"
  const elsewhere = Gateway.layer({ baseUrl, retry: { attempts: 1 } })
  const payments = yield* Effect.provide(Payments.make, elsewhere)
  const error = yield* Effect.flip(payments.create(collection, { key }))
  assert.strictEqual(error._tag, "TransportError")
})

describe("faults", () => {
  test("dropBefore: the request is not processed, and the retry creates the intent", function* () {
    const { created, exchanges, intents } = yield* createUnder(
      Fault.dropBefore({ operation, count: 2 })
    )
    assert.isTrue(Either.isRight(created))
    assert.deepStrictEqual(endings(exchanges), ["request lost", "request lost", 201])
    assert.lengthOf(intents, 1)
  })

  test("dropAfter: the request is processed, and the retry gets the same intent", function* () {
    const { created, exchanges, intents, pending } = yield* createUnder(
      Fault.dropAfter({ operation, count: 3 })
    )
    const lost = "response lost"
    assert.deepStrictEqual(endings(exchanges), [lost, lost, lost, 201])
    assert.strictEqual(Either.getOrThrow(created).id, intents[0]?.id)
    assert.lengthOf(intents, 1)
    assert.lengthOf(pending, 0)
    const bodies = exchanges.map(({ body }) => Buffer.from(Redacted.value(body)).toString())
    assert.strictEqual(new Set(bodies).size, 1)
    assert.isTrue(bodies[0]?.includes(phone))
  })

  for (const [name, drop, made] of [
    ["dropBefore", Fault.dropBefore, 0],
    ["dropAfter", Fault.dropAfter, 1]
  ] as const) {
    test(`${name}: on every attempt, ${made} intents are created`, function* () {
      const fault = drop({ operation, count: "always" })
      const { created, intents, pending } = yield* createUnder(fault)
      assert.isTrue(Either.isLeft(created) && created.left._tag === "OutcomeUnknown")
      assert.lengthOf(intents, made)
      assert.deepStrictEqual(
        pending.map(({ remaining }) => remaining),
        ["always"]
      )
    })
  }

  test("delay: a caller that gives up undoes no request", function* ({ payments, sandbox }) {
    yield* sandbox.faults.add(Fault.delay("31 seconds", { operation }))
    const fiber = yield* Effect.fork(payments.create(collection, { key }))
    yield* TestClock.adjust("29 seconds")
    assert.lengthOf(yield* sandbox.paymentIntents, 1)
    assert.strictEqual((yield* sandbox.exchanges).at(-1)?.ending, "open")
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    assert.lengthOf(yield* sandbox.paymentIntents, 1)
    const creations = (yield* sandbox.exchanges).filter((one) => one.operation === operation)
    assert.deepStrictEqual(endings(creations), ["caller left", 201])
    assert.strictEqual(creations[0]?.tookMillis, 30_000)
  })

  test("delay: a caller that waits gets the real response late", function* () {
    const { created, exchanges } = yield* createUnder(Fault.delay("20 seconds", { operation }))
    assert.isTrue(Either.isRight(created))
    assert.strictEqual(exchanges[0]?.tookMillis, 20_000)
  })

  test("status: the request is not processed, and Retry-After is sent", function* () {
    const { created, exchanges, intents } = yield* createUnder(
      Fault.status(429, { operation, retry_after: 30 })
    )
    assert.isTrue(Either.isRight(created))
    assert.deepStrictEqual(endings(exchanges), [429, 201])
    const [first, second] = exchanges.map(({ atMillis }) => atMillis)
    assert.isAtLeast((second ?? 0) - (first ?? 0), 30_000)
    assert.lengthOf(intents, 1)
  })

  test("status: the body defaults to an error envelope", function* () {
    const own = yield* createUnder(Fault.status(409, { operation }))
    const unknown = yield* Effect.flip(own.created)
    assert(unknown._tag === "OutcomeUnknown" && unknown.cause._tag === "ConflictError")
    assert.strictEqual(unknown.cause.code, "SCRIPTED_FAULT")
    assert.lengthOf(own.intents, 0)
    const body = `{"success":false,"data":{"error":{"code":"MINE","message":"m"}}}`
    const given = yield* createUnder(Fault.status(400, { operation, body }))
    const error = yield* Effect.flip(given.created)
    assert.deepInclude(error, { _tag: "BadRequestError", code: "MINE" })
  })

  test("status: the request is processed if requested", function* () {
    const { created, exchanges, intents } = yield* createUnder(
      Fault.status(502, { operation, body: "<html>", content_type: "text/html", processed: true })
    )
    assert.strictEqual(Either.getOrThrow(created).id, intents[0]?.id)
    assert.deepStrictEqual(endings(exchanges), [502, 201])
  })

  test("status: 204, 205 and 304 have no body", function* ({ sandbox }) {
    yield* Effect.forEach([Fault.status(204, { body: "x" }), Fault.status(302)], sandbox.faults.add)
    const { status, text } = yield* send(`${sandbox.baseUrl}/services`, {})
    assert.deepStrictEqual([status, text], [204, ""])
    assert.strictEqual((yield* send(`${sandbox.baseUrl}/services`, {})).status, 302)
  })

  test("body: the request is processed, and the real status comes with the given bytes", function* () {
    const { created, exchanges, intents } = yield* createUnder(
      Fault.body(
        `{"success":true,"data":{"id":"an-id","amount":"1500","currency":"XOF","country":"BJ","operation":"COLLECTION"}}`,
        { operation }
      )
    )
    assert.isTrue(Either.isLeft(created) && created.left._tag === "AppliedUnreadable")
    assert.deepStrictEqual(endings(exchanges), [201])
    assert.lengthOf(intents, 1)
  })

  test("apply to their operation, one at a time, in order", function* ({ sandbox }) {
    yield* sandbox.faults.add(Fault.status(500, { operation: "Payments.get" }))
    yield* sandbox.faults.add(Fault.status(501, { operation: "Catalogue.list", count: 2 }))
    yield* sandbox.faults.add(Fault.status(502))
    const list = Effect.map(send(`${sandbox.baseUrl}/services`, {}), ({ status }) => status)
    const statuses = yield* Effect.replicateEffect(list, 4)
    assert.deepStrictEqual(statuses, [501, 501, 502, 401])
    assert.lengthOf(yield* sandbox.faults.pending, 1)
    yield* sandbox.faults.clear
    assert.lengthOf(yield* sandbox.faults.pending, 0)
  })

  test("apply to exactly the given number of concurrent requests", function* ({ sandbox }) {
    yield* sandbox.faults.add(Fault.status(503, { count: 7 }))
    const statuses = yield* Effect.forEach(
      Array.from({ length: 20 }),
      () => Effect.map(send(`${sandbox.baseUrl}/services`, {}), ({ status }) => status),
      { concurrency: "unbounded" }
    )
    const failed = statuses.filter((status) => status === 503)
    assert.lengthOf(failed, 7)
  })
})

describe("the exchange log", () => {
  test("is printed as a timeline", function* ({ sandbox: { baseUrl, exchanges } }) {
    yield* createUnder(Fault.status(503, { operation, retry_after: 2 }))
    yield* send(`${baseUrl}/nowhere`, {})
    const lines = Exchange.timeline(yield* exchanges).split("\n")
    assert.deepStrictEqual(
      lines.map((line) => line.replace(/^ *\d+ ms/, "N ms")),
      [
        "N ms  POST Token.obtain  200",
        "N ms  POST Payments.create  key=order-42  503",
        "N ms  POST Payments.create  key=order-42  201",
        "N ms  GET (no such operation)  404"
      ]
    )
    assert.strictEqual(Exchange.timeline([]), "")
  })

  test("says of each fault whether it stood in for the service", function* ({ sandbox }) {
    const kinds = [
      [Fault.dropBefore(), true],
      [Fault.dropAfter(), false],
      [Fault.delay("1 millis"), false],
      [Fault.status(503), true],
      [Fault.status(503, { processed: true }), false],
      [Fault.body("{}"), false]
    ] as const
    for (const [fault] of kinds) {
      yield* sandbox.faults.add(fault)
      const sent = yield* Effect.fork(send(`${sandbox.baseUrl}/services`, {}))
      yield* TestClock.adjust("1 second")
      yield* Fiber.await(sent)
    }
    assert.deepStrictEqual(
      (yield* sandbox.exchanges).map((one) => [one.fault?.name, one.fault?.answersInstead]),
      kinds.map(([{ fault }, answersInstead]) => [fault, answersInstead])
    )
  })

  test("shows no secret, token or phone number", function* ({ sandbox, payments }) {
    const { client_secret } = yield* credentialsBody
    const { access_token } = yield* obtain
    yield* payments.create(collection, { key })
    const exchanges = yield* sandbox.exchanges
    const printed = [
      Exchange.timeline(exchanges),
      inspect(exchanges, { depth: null }),
      JSON.stringify(exchanges),
      Inspectable.format(exchanges),
      inspect(sandbox, { depth: null }),
      inspect(yield* sandbox.credentials)
    ].join("\n")
    for (const value of [client_secret, access_token, phone]) {
      assert.notInclude(printed, value)
    }
  })

  small("keeps the latest exchanges with their index", function* ({ sandbox }) {
    for (let n = 0; n < 25; n++) yield* send(`${sandbox.baseUrl}/nowhere`, {})
    const indices = (yield* sandbox.exchanges).map(({ index }) => index)
    assert.deepStrictEqual(indices, [15, 16, 17, 18, 19, 20, 21, 22, 23, 24])
  })

  test("lists exchanges in order of arrival, including open ones", function* ({ sandbox }) {
    const arrived = yield* Deferred.make<void>()
    yield* sandbox.faults.add(Fault.delay("1 minute"))
    const slow = yield* Effect.fork(
      Effect.zipRight(Deferred.succeed(arrived, undefined), send(`${sandbox.baseUrl}/slow`, {}))
    )
    yield* Deferred.await(arrived)
    yield* TestClock.adjust("1 second")
    yield* send(`${sandbox.baseUrl}/fast`, {})
    assert.deepStrictEqual(endings(yield* sandbox.exchanges), ["open", 404])
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(slow)
    assert.deepStrictEqual(endings(yield* sandbox.exchanges), [404, 404])
  })

  test("does not annotate the caller's span", function* ({ sandbox: { baseUrl } }) {
    const span = yield* Effect.useSpan("caller", (span) =>
      send(`${baseUrl}/services`, {}).pipe(
        Effect.locally(HttpClient.currentTracerDisabledWhen, () => true),
        Effect.withParentSpan(span),
        Effect.as(span)
      )
    )
    assert.strictEqual(span._tag === "Span" && span.attributes.size, 0)
  })
})
