import { assert, describe } from "@effect/vitest"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as Fault from "@manilla/sandbox/Fault"
import * as Elapsed from "@manilla/test-support/Elapsed"
import { fieldsOf } from "@manilla/test-support/FakeService"
import { link as request, plain, tests } from "@manilla/test-support/Sandboxed"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"

const test = tests()
const since = DateTime.unsafeMake(0)

/** A request with every member that a link repeats. */
const whole = { ...request, description: "one", max_uses: 1, expires_at: "2030-01-31T12:00:00Z" }

const idsOf = (links: ReadonlyArray<PaymentLink.PaymentLink>) => links.map(({ id }) => id)

describe("a payment link", () => {
  test("that is used up has a stream that ends", function* ({ paymentLinks: links, sandbox }) {
    const { id } = yield* links.create({ ...request, max_uses: 1 })
    yield* sandbox.payLink({ id })
    const seen = yield* Stream.runCollect(links.changes(id))
    const states = Array.from(seen, ({ status, use_count }) => [status, use_count])
    assert.deepStrictEqual(states, [["INACTIVE", 1]])
  })

  test("that expires has its final status", function* ({ paymentLinks: links }) {
    const { id } = yield* links.create({ ...request, expires_at: "1970-01-01T00:00:01Z" })
    yield* TestClock.adjust("1 second")
    const wait = links.awaitFinal(id, { deadline: "1 minute" })
    assert.strictEqual((yield* Elapsed.toTheEnd(wait)).status, "EXPIRED")
  })

  test("is watched while active, and gives each use", function* ({ paymentLinks: links, sandbox }) {
    const { id } = yield* links.create({ ...request, max_uses: 2 })
    const watching = yield* Effect.fork(Stream.runCollect(links.changes(id)))
    for (let used = 0; used < 2; used++) {
      yield* TestClock.adjust("1 minute")
      yield* sandbox.payLink({ id })
    }
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(
      Array.from(yield* Fiber.join(watching), ({ status, use_count }) => [status, use_count]),
      [
        ["ACTIVE", 0],
        ["ACTIVE", 1],
        ["INACTIVE", 2]
      ]
    )
  })

  test("is watched until the condition of the caller holds", function* ({ paymentLinks: links }) {
    const { id } = yield* links.create(request)
    const until = ({ use_count }: PaymentLink.PaymentLinkDetail) => use_count === 0
    const seen = yield* Stream.runCollect(links.changes(id, { until }))
    const statuses = Array.from(seen, ({ status }) => status)
    assert.deepStrictEqual(statuses, ["ACTIVE"])
  })
})

describe("payment links", () => {
  test("are listed newest first, by status, paged", function* ({ paymentLinks: links, sandbox }) {
    const used = yield* links.create({ ...request, max_uses: 1, amount: "1" })
    yield* links.create({ ...request, expires_at: "1970-01-01T00:00:01Z", amount: "2" })
    for (let index = 0; index < 20; index++) yield* links.create({ ...request, amount: "3" })
    yield* sandbox.payLink({ id: used.id })
    yield* TestClock.adjust("1 second")

    const amounts = (status?: "ACTIVE" | "INACTIVE" | "EXPIRED") =>
      Effect.map(Stream.runCollect(links.stream(status === undefined ? {} : { status })), (all) =>
        Array.from(all, ({ amount }) => amount)
      )
    assert.deepStrictEqual(yield* amounts("INACTIVE"), ["1.0000"])
    assert.deepStrictEqual(yield* amounts("EXPIRED"), ["2.0000"])
    assert.lengthOf(yield* amounts("ACTIVE"), 20)
    const all = yield* amounts()
    assert.lengthOf(all, 22)
    assert.deepStrictEqual(all.slice(-2), ["2.0000", "1.0000"])
  })

  test("are no candidates if they differ in one member", function* ({ paymentLinks: links }) {
    for (const other of [
      { max_uses: 2 },
      { amount: "5001" },
      { description: "another" },
      { expires_at: "2030-01-31T12:00:01Z" },
      { country: "CI" },
      { currency: "XAF" }
    ]) {
      yield* links.create({ ...whole, ...other })
    }
    assert.deepStrictEqual(yield* links.candidates(whole, { since }), [])
    const { id } = yield* links.create(whole)
    assert.deepStrictEqual(idsOf(yield* links.candidates(whole, { since })), [id])
  })

  test("match an absent description for an empty one", function* ({ paymentLinks: links }) {
    yield* links.create({ ...request, description: "" })
    const [listed] = (yield* links.list()).data
    const shown = { ...(listed ?? assert.fail("none")), description: null }
    assert.isTrue(PaymentLink.resembles(shown, { ...request, description: "" }))
    assert.isFalse(PaymentLink.resembles(shown, { ...request, description: "one" }))
    const trimmed = { ...shown, description: "one" }
    assert.isTrue(PaymentLink.resembles(trimmed, { ...request, description: " one " }))
  })

  test("match an absent end for any", function* ({ paymentLinks: links }) {
    yield* links.create(request)
    const [listed] = (yield* links.list()).data
    const link = listed ?? assert.fail("none")
    const sought = { ...request, expires_at: "2030-01-31T12:00:00Z" }
    for (const expires_at of [null, undefined]) {
      assert.isTrue(PaymentLink.resembles({ ...link, expires_at }, sought))
    }
  })

  for (const [what, count, isUsed] of [
    ["many active links", 99, false],
    ["a hundred inactive links", 100, true]
  ] as const) {
    test(`are found as candidates behind ${what}`, function* ({ paymentLinks: links, sandbox }) {
      const { id } = yield* links.create(request)
      for (let left = count; left > 0; left--) {
        const newer = yield* links.create({ ...request, amount: "1", max_uses: 1 })
        if (isUsed) yield* sandbox.payLink({ id: newer.id })
      }
      assert.deepStrictEqual(idsOf(yield* links.candidates(request, { since })), [id])
    })
  }

  test("are candidates if the list omits a member", function* ({ paymentLinks: links, sandbox }) {
    const made = yield* links.create(whole)
    for (const left of ["country", "description", "max_uses", "expires_at", "created_at"]) {
      const { [left]: _, ...rest } = plain(made)
      yield* sandbox.faults.add(
        Fault.body(JSON.stringify({ success: true, data: { data: [rest] } }), {
          operation: "PaymentLinks.list",
          count: 1
        })
      )
      assert.deepStrictEqual(idsOf(yield* links.candidates(whole, { since })), [made.id], left)
    }
  })

  test("are no candidates beside an impossible one", function* ({ paymentLinks: links, sandbox }) {
    const made = yield* links.create(whole)
    for (const changes of [{ status: "INACTIVE" }, { status: "EXPIRED" }, { use_count: 1 }]) {
      const body = JSON.stringify({ success: true, data: { data: [{ ...made, ...changes }] } })
      yield* sandbox.faults.add(Fault.body(body, { operation: "PaymentLinks.list", count: 1 }))
      assert.deepStrictEqual(yield* links.candidates(whole, { since }), [])
    }
  })

  test("match codes case-insensitively", function* ({ paymentLinks: links }) {
    const { id } = yield* links.create(request)
    const small = {
      ...request,
      currency: request.currency.toLowerCase(),
      country: request.country.toLowerCase()
    }
    assert.deepStrictEqual(idsOf(yield* links.candidates(small, { since })), [id])
  })

  test("are told apart by metadata, with few reads", function* ({ paymentLinks: links, sandbox }) {
    const order = (name: string) => ({ ...request, metadata: { order: name, items: [1] } })
    const { id } = yield* links.create(order("42"))
    yield* links.create(order("43"))
    yield* links.create(request)
    yield* links.create({ ...order("42"), amount: "1" })
    assert.deepStrictEqual(idsOf(yield* links.candidates(order("42"), { since })), [id])
    assert.deepStrictEqual(yield* links.candidates(order("44"), { since }), [])

    const reads = Effect.map(sandbox.exchanges, (seen) =>
      seen.filter(({ operation }) => operation === "PaymentLinks.get")
    )
    // Three of the four differ only in their metadata.
    assert.lengthOf(yield* reads, 6)
    assert.lengthOf(yield* links.candidates({ ...request, metadata: {} }, { since }), 3)
    assert.lengthOf(yield* reads, 6)
  })

  test("are no candidates if made before, in any time zone", function* ({ paymentLinks: links }) {
    yield* links.create(request)
    yield* TestClock.adjust("1 hour")
    const { id } = yield* links.create(request)
    const utc = DateTime.unsafeMake(3_600_000)
    const within = DateTime.unsafeMake(3_600_000.5)
    for (const since of [utc, DateTime.setZoneOffset(utc, 7_200_000), within]) {
      assert.deepStrictEqual(idsOf(yield* links.candidates(request, { since })), [id])
    }
    assert.deepStrictEqual(
      yield* links.candidates(request, { since: DateTime.add(utc, { millis: 1 }) }),
      []
    )
  })

  test("are not searched for with invalid input", function* ({ paymentLinks: links, sandbox }) {
    const misspelt = { order: "42" }
    const error = yield* Effect.flip(
      links.candidates(
        { ...request, ...misspelt, amount: "5 000", expires_at: "tomorrow" },
        { since: "yesterday" as never }
      )
    )
    assert(error._tag === "InvalidRequestError")
    assert.deepStrictEqual(fieldsOf(error), ["order", "amount", "expires_at", "since"])
    assert.isEmpty(yield* sandbox.exchanges)
  })
})
