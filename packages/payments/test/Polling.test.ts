import { assert, describe } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import type * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Logs from "@manilla/test-support/Logs"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Intents from "./utils/Intents.js"

const { finds, id } = Intents

/** Reads that find these statuses in turn. */
const inTurn = (first: string, ...others: ReadonlyArray<string>) =>
  [finds(first), ...others.map((status) => finds(status))] as const

/** The error of a wait that ends before the status is final. */
const stillPending = <A, E>(wait: Effect.Effect<A, E | Payments.PaymentStillPending>) =>
  Effect.map(Effect.flip(wait), (error) => {
    assert.instanceOf(error, Payments.PaymentStillPending)
    return error
  })

describe("awaitFinal", () => {
  Test.effect("reads immediately and then until the status is final", function* () {
    const { payments, received } = yield* Intents.make(
      inTurn("PENDING", "PENDING", "PENDING", "COMPLETED")
    )
    const settled = yield* Elapsed.toTheEnd(payments.awaitFinal(id))
    assert.strictEqual(settled.status, "COMPLETED")
    const requests = received.map(({ method, url }) => `${method} ${url}`)
    const read = `GET https://service.invalid/api/v1/payments/${id}`
    assert.deepStrictEqual(requests, [read, read, read, read])
    assert.strictEqual(received[0]?.atMillis, 0)
  })

  for (const status of ["COMPLETED", "FAILED", "CANCELLED", "pending", "", "SOMETHING_NEW"]) {
    Test.effect(`returns the final status ${JSON.stringify(status)} unchanged`, function* () {
      const { payments, received } = yield* Intents.make([finds(status)])
      const settled = yield* payments.awaitFinal(id)
      assert.strictEqual(settled.status, status)
      assert.strictEqual(received.length, 1)
    })
  }

  Test.effect("backs off exponentially up to the cap, with jitter from half to full", function* () {
    const { payments, received } = yield* Intents.make([finds("PENDING")])
    const options = {
      initial: "1 second",
      factor: 2,
      cap: "5 seconds",
      deadline: "1 minute"
    } as const
    yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id, options)))
    const pauses = received
      .slice(1, 8)
      .map(({ atMillis }, i) => atMillis - (received[i]?.atMillis ?? 0))
    for (const [i, most] of [1000, 2000, 4000, 5000, 5000, 5000, 5000].entries()) {
      assert.isAtLeast(pauses[i] ?? 0, most / 2)
      assert.isAtMost(pauses[i] ?? Infinity, most)
    }
    assert.isAbove(new Set(pauses.slice(3)).size, 1, "no jitter")
  })

  Test.effect("honours the until option", function* () {
    const { payments, received } = yield* Intents.make(inTurn("PENDING", "PROCESSING", "COMPLETED"))
    const until = ({ status }: PaymentIntent.PaymentIntent) => status === "COMPLETED"
    const settled = yield* Elapsed.toTheEnd(payments.awaitFinal(id, { until }))
    assert.strictEqual(settled.status, "COMPLETED")
    assert.strictEqual(received.length, 3)
  })

  for (const [what, reaction] of [
    ["503", FakeService.failure(503)],
    ["429", FakeService.failure(429)],
    ["408", FakeService.failure(408)],
    ["a reset", { drop: "ECONNRESET" }],
    ["a refused connection", { drop: "ECONNREFUSED" }],
    ["HTML", { status: 200, body: "<html>" }],
    ["another response", Intents.answer({ ...Intents.read, id: Intents.read.reference })],
    ["an invalid response without an id", Intents.answer({ status: 7 })],
    ["no response", "silence"],
    ["a client that interrupts itself", () => Effect.interrupt]
  ] as const) {
    Test.effect(`continues after ${what}`, function* () {
      const { payments } = yield* Intents.make(
        [finds("PENDING"), reaction, reaction, finds("COMPLETED")],
        { retry: { attempts: 1, attemptTimeout: "5 seconds" } }
      )
      const settled = yield* Elapsed.toTheEnd(payments.awaitFinal(id))
      assert.strictEqual(settled.status, "COMPLETED")
    })
  }

  for (const [tag, reaction] of [
    ["ForbiddenError", FakeService.failure(403)],
    ["UnauthorizedError", FakeService.failure(401)],
    ["UnexpectedStatusError", FakeService.failure(410)],
    ["MalformedResponseError", Intents.answer({ ...Intents.read, status: 7 })]
  ] as const) {
    Test.effect(`fails immediately with ${tag}`, function* () {
      const { payments } = yield* Intents.make([finds("PENDING"), reaction])
      const error = yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id)))
      assert.strictEqual(error._tag, tag)
    })
  }

  for (const before of [0, 4]) {
    Test.effect(`fails with NotFoundError after ${before} failures and four 404s`, function* () {
      let reads = 0
      const { payments } = yield* Intents.make([
        () => Effect.sync(() => FakeService.failure(++reads <= before ? 503 : 404))
      ])
      const error = yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id)))
      assert.strictEqual(error._tag, "NotFoundError")
      assert.strictEqual(reads, before + 4)
    })
  }

  Test.effect("fails at the deadline with the last value", function* () {
    const { payments, received } = yield* Intents.make([finds("PENDING")])
    const call = payments.awaitFinal(id, { deadline: "30 seconds" })
    const fiber = yield* Effect.fork(Effect.flip(call))
    yield* TestClock.adjust("29999 millis")
    assert.strictEqual(yield* Fiber.poll(fiber).pipe(Effect.map(({ _tag }) => _tag)), "None")
    yield* TestClock.adjust("1 milli")
    const error = yield* Fiber.join(fiber)
    assert(error._tag === "PaymentStillPending")
    assert.deepStrictEqual(error.last, { ...Intents.read, id } as never)
    assert.strictEqual(error.cause, undefined)
    assert.include(error.message, "PENDING")
    assert.isAbove(received.length, 1)
    const readBefore = received.length
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(received.length, readBefore)
  })

  Test.effect("compares ids case-insensitively", function* () {
    const { payments } = yield* Intents.make([finds("COMPLETED")])
    const capitals = PaymentIntent.makeId(id.toUpperCase())
    assert.strictEqual((yield* payments.get(capitals)).id, id)
  })

  for (const [what, last, reactions] of [
    ["without the cause of a recovered failure", id, [FakeService.failure(503), finds("PENDING")]],
    ["with the cause if no read succeeded", undefined, [FakeService.failure(503)]]
  ] as const) {
    Test.effect(`fails at the deadline ${what}`, function* () {
      const { payments } = yield* Intents.make(reactions, { retry: { attempts: 1 } })
      const wait = payments.awaitFinal(id, { deadline: "1 minute" })
      const error = yield* stillPending(Elapsed.toTheEnd(wait))
      assert.strictEqual(error.last?.id, last)
      // The id is known even without a value, so the caller can wait again.
      assert.strictEqual(error.id, id)
      assert.include(error.message, id)
      assert.strictEqual(error.cause?._tag, last === undefined ? "ServerError" : undefined)
      assert.strictEqual(error.message.includes("503"), last === undefined)
    })
  }
})

describe("collect", () => {
  const { collectRequest, creates, key } = Intents
  const newest = "2026-01-31T12:30:00.000001Z"

  Test.effect("creates with the key and returns the final value", function* () {
    const { payments, received } = yield* Intents.make([creates, ...inTurn("PENDING", "COMPLETED")])
    const settled = yield* Elapsed.toTheEnd(payments.collect(collectRequest, { key }))
    assert.strictEqual(settled.status, "COMPLETED")
    const methods = received.map(({ method }) => method)
    assert.deepStrictEqual(methods, ["POST", "GET", "GET"])
    assert.strictEqual(received[0]?.headers["idempotency-key"], key)
    assert.deepStrictEqual(JSON.parse(received[0]?.body ?? ""), {
      ...collectRequest,
      operation: "COLLECTION"
    })
  })

  Test.effect("overrides the operation of the request", function* () {
    const { payments, received } = yield* Intents.make([creates, finds("COMPLETED")])
    const request = { ...collectRequest, operation: "DEPOSIT" }
    yield* payments.collect(request as never, { key })
    assert.strictEqual(JSON.parse(received[0]?.body ?? "").operation, "COLLECTION")
  })

  Test.effect("passes on the wait options", function* () {
    const { payments } = yield* Intents.make([creates, finds("PENDING"), finds("REFUNDED")])
    const until = ({ status }: PaymentIntent.PaymentIntent) => status === "REFUNDED"
    const collect = payments.collect(collectRequest, { key, wait: { until } })
    const settled = yield* Elapsed.toTheEnd(collect)
    assert.strictEqual(settled.status, "REFUNDED")
  })

  Test.effect("tells the caller of the response to the creation", function* () {
    const { payments } = yield* Intents.make([creates, finds("COMPLETED")])
    const told: Array<string | undefined> = []
    const onResponse = (response: Operation.ResponseInfo) => void told.push(response.id)
    yield* payments.collect(collectRequest, { key, onResponse })
    assert.deepStrictEqual(told, [id])
  })

  Test.effect("does not read after a failed creation", function* () {
    const { payments, received } = yield* Intents.make([FakeService.failure(422)])
    const error = yield* Effect.flip(payments.collect(collectRequest, { key }))
    assert.strictEqual(error._tag, "UnprocessableError")
    assert.strictEqual(received.length, 1)
  })

  for (const status of ["COMPLETED", "FAILED"]) {
    Test.effect(`returns an intent that is ${status} at once, and reads nothing`, function* () {
      const { payments, received } = yield* Intents.make([
        Intents.answer({ ...Intents.created, status }, 201),
        FakeService.failure(403)
      ])
      const settled = yield* payments.collect(collectRequest, { key })
      assert.deepStrictEqual([settled.id, settled.status], [id, status])
      assert.lengthOf(received, 1)
    })
  }

  const wait = { deadline: "20 seconds" } as const
  for (const [what, reaction] of [
    ["404", FakeService.failure(404)],
    ["403", FakeService.failure(403)],
    ["401", FakeService.failure(401)],
    ["400", FakeService.failure(400)],
    ["409", FakeService.failure(409)],
    ["422", FakeService.failure(422)],
    ["429", FakeService.failure(429)],
    ["503", FakeService.failure(503)],
    ["a redirect", { status: 302 }],
    ["HTML", { status: 200, body: "<html>" }],
    ["data that does not match the schema", Intents.answer({ ...Intents.read, amount: 1500 })],
    ["a body over the limit", { status: 200, body: "x".repeat(100_000) }],
    ["a reset", { drop: "ECONNRESET" }],
    ["a refused connection", { drop: "ECONNREFUSED" }],
    ["no response", "silence"]
  ] as const) {
    Test.effect(`keeps the intent as it was last read after ${what}`, function* () {
      const { payments } = yield* Intents.make(
        [creates, finds("PENDING", { updated_at: newest }), reaction],
        { bodyLimit: 50_000 }
      )
      const error = yield* stillPending(
        Elapsed.toTheEnd(payments.collect(collectRequest, { key, wait }))
      )
      assert.strictEqual(Errors.outcome(error), "applied")
      assert.strictEqual(error.id, id)
      assert.strictEqual(error.last?.id, id)
      assert.strictEqual(error.last?.status, "PENDING")
      assert.strictEqual(error.last?.updated_at, newest)
      if (reaction !== "silence") assert.isDefined(error.cause)
    })
  }

  Test.effect("keeps the intent when the request cannot be read a second time", function* () {
    const { payments } = yield* Intents.make([creates, FakeService.failure(403)])
    const { proxy: payer, revoke } = Proxy.revocable(collectRequest.payer, {})
    const error = yield* stillPending(
      payments.collect({ ...collectRequest, payer }, { key, onResponse: () => revoke() })
    )
    assert.strictEqual(error.last?.id, id)
  })

  Test.effect("sends no request that cannot be read", function* () {
    const { payments, received } = yield* Intents.make([creates])
    const { proxy: payer, revoke } = Proxy.revocable(collectRequest.payer, {})
    revoke()
    const error = yield* Effect.flip(payments.collect({ ...collectRequest, payer }, { key }))
    assert.strictEqual(error._tag, "InvalidRequestError")
    assert.lengthOf(received, 0)
  })

  Test.effect("does not show the phone number of a request that was changed later", function* () {
    const payer = { phone_number: "+2290161234567" }
    const refusal = FakeService.failure(403, {}, { message: `no ${payer.phone_number}` })
    const { payments } = yield* Intents.make([creates, refusal])
    const onResponse = () => void (payer.phone_number = "")
    const error = yield* stillPending(
      payments.collect({ ...collectRequest, payer }, { key, onResponse })
    )
    assert.notInclude(error.message, "61234567")
  })

  Test.effect("keeps the intent when no token is available", function* () {
    const tokens = FakeService.tokensFor(1, () =>
      Effect.fail(
        new Errors.TokenUnavailableError({ operation: "Token.obtain", message: "no token" })
      )
    )
    const { payments } = yield* Intents.make([creates, finds("COMPLETED")], { tokens })
    const error = yield* stillPending(payments.collect(collectRequest, { key }))
    assert.strictEqual(error.last?.id, id)
    assert.strictEqual(error.cause?._tag, "TokenUnavailableError")
  })

  Test.effect("keeps the intent when no time is left to wait", function* () {
    const { payments } = yield* Intents.make([creates, finds("PENDING")])
    const error = yield* stillPending(
      payments.collect(collectRequest, { key, wait: { deadline: 0 } })
    )
    assert.strictEqual(error.last?.id, id)
  })

  Test.effect("keeps the created value when a read interrupts itself", function* () {
    const created = { id: "thing-1", status: "PENDING" }
    const { createAndAwait } = Polling.make({
      operation: "Things.awaitFinal",
      by: "id",
      read: (): Effect.Effect<typeof created> => Effect.interrupt,
      stillPending: (id, { last }) => ({ id, last })
    })
    const error = yield* Effect.flip(
      createAndAwait("Things.create", () => Effect.succeed(created), {})
    )
    assert("id" in error)
    assert.deepStrictEqual([error.id, error.last], ["thing-1", created])
  })

  for (const [what, thrown] of [
    ["nothing", undefined],
    ["an object without a prototype", Object.create(null)],
    ["a bigint", 10n],
    ["an object with a bigint", { a: 1n }]
  ] as const) {
    Test.effect(`reports the last value when until throws ${what}`, function* () {
      const { payments } = yield* Intents.make([creates, finds("PENDING"), finds("PROCESSING")])
      const until = ({ status }: PaymentIntent.PaymentIntent): boolean => {
        if (status === "PENDING") return false
        throw thrown
      }
      const error = yield* stillPending(
        Elapsed.toTheEnd(payments.collect(collectRequest, { key, wait: { until } }))
      )
      assert.strictEqual(error.id, id)
      assert.strictEqual(error.last?.status, "PROCESSING")
    })
  }

  for (const [what, field, wait] of [
    ["a cap that is not a duration", "wait.cap", { cap: "soon" }],
    ["a deadline of NaN", "wait.deadline", { deadline: NaN }],
    ["a negative initial delay", "wait.initial", { initial: "-1 second" }]
  ] as const) {
    Test.effect(`creates nothing with invalid wait options: ${what}`, function* () {
      const { payments, received } = yield* Intents.make([creates, finds("PENDING")])
      const ways: ReadonlyArray<
        Effect.Effect<
          unknown,
          Errors.ReadError | Errors.KeyedWriteError | Payments.PaymentStillPending
        >
      > = [
        payments.collect(collectRequest, { key, wait: wait as never }),
        payments.awaitFinal(id, wait as never)
      ]
      for (const waiting of ways) {
        const error = yield* Effect.flip(Elapsed.during("1 second", waiting))
        assert(error._tag === "InvalidRequestError")
        assert.deepStrictEqual(FakeService.fieldsOf(error), [field])
      }
      assert.deepStrictEqual(received, [])
    })
  }

  Test.effect("logs no warning without an interruption", function* () {
    const { capture, messages } = Logs.make()
    const { payments } = yield* Intents.make([FakeService.failure(503)], { retry: { attempts: 1 } })
    const error = yield* capture(Effect.flip(payments.collect(collectRequest, { key })))
    assert.strictEqual(error._tag, "OutcomeUnknown")
    assert.deepStrictEqual(messages, [])
  })

  Test.effect("logs the intent when the HttpClient dies on interruption", function* () {
    const { capture, messages } = Logs.make()
    const dies = () => Effect.onInterrupt(Effect.never, () => Effect.die("boom"))
    const { payments } = yield* Intents.make([creates, dies])
    const fiber = yield* Effect.fork(capture(payments.collect(collectRequest, { key })))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    assert.include(messages.join(), id)
  })

  Test.effect("continues with the same intent when it is run again", function* () {
    const { payments, received } = yield* Intents.make([
      creates,
      FakeService.failure(403),
      creates,
      finds("COMPLETED")
    ])
    const collect = payments.collect(collectRequest, { key })
    yield* Effect.flip(collect)
    assert.strictEqual((yield* collect).status, "COMPLETED")
    const posts = received.filter(({ method }) => method === "POST")
    assert.strictEqual(posts[0]?.body, posts[1]?.body)
    assert.strictEqual(posts[0]?.headers["idempotency-key"], posts[1]?.headers["idempotency-key"])
  })
})

describe("changes", () => {
  const statuses = (stream: ReturnType<Payments.Service["changes"]>) =>
    Effect.map(Stream.runCollect(stream), (values) => Chunk.toReadonlyArray(values))

  Test.effect("emits each value once and ends with the final one", function* () {
    const later = "2026-01-31T12:30:00.000001Z"
    const changed = finds("PENDING", { updated_at: later })
    const { payments, received } = yield* Intents.make([
      ...inTurn("PENDING", "PENDING"),
      changed,
      changed,
      finds("COMPLETED")
    ])
    const values = yield* Elapsed.toTheEnd(statuses(payments.changes(id)))
    const seen = values.map(({ status, updated_at }) => `${status} ${updated_at}`)
    const { updated_at } = Intents.read
    const expected = [`PENDING ${updated_at}`, `PENDING ${later}`, `COMPLETED ${updated_at}`]
    assert.deepStrictEqual(seen, expected)
    assert.strictEqual(received.length, 5)
  })

  Test.effect("emits a change within metadata but ignores member order", function* () {
    const { payments } = yield* Intents.make([
      finds("PENDING", { metadata: { a: { b: [1] }, c: 2 } }),
      finds("PENDING", { metadata: { c: 2, a: { b: [1] } } }),
      finds("PENDING", { metadata: { a: { b: [2] }, c: 2 } }),
      finds("COMPLETED", { metadata: null })
    ])
    const values = yield* Elapsed.toTheEnd(statuses(payments.changes(id)))
    const seen: ReadonlyArray<unknown> = values.map(({ metadata }) => metadata)
    assert.deepStrictEqual(seen, [{ a: { b: [1] }, c: 2 }, { a: { b: [2] }, c: 2 }, null])
  })

  Test.effect("goes on after an unknown member that is nested too deeply to compare", function* () {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    const read = (status: string): FakeService.Reflex => {
      const members = JSON.stringify({ ...Intents.read, status }).slice(1)
      return { status: 200, body: `{"success":true,"data":{"extra":${deep},${members}}` }
    }
    const { payments } = yield* Intents.make([read("PENDING"), read("PENDING"), read("COMPLETED")])
    const values = yield* Elapsed.toTheEnd(statuses(payments.changes(id)))
    assert.strictEqual(values.at(-1)?.status, "COMPLETED")
  })

  Test.effect("fails at the deadline, after the emitted values", function* () {
    const { payments } = yield* Intents.make([finds("PENDING")])
    const told: Array<string> = []
    const tell = Stream.runForEach(payments.changes(id, { deadline: "1 minute" }), ({ status }) =>
      Effect.sync(() => told.push(status))
    )
    yield* stillPending(Elapsed.toTheEnd(tell))
    assert.deepStrictEqual(told, ["PENDING"])
  })

  Test.effect("stops reading when the consumer stops", function* () {
    const { payments, received } = yield* Intents.make([finds("PENDING")])
    yield* Elapsed.toTheEnd(Stream.runDrain(Stream.take(payments.changes(id), 1)))
    assert.strictEqual(received.length, 1)
  })
})

describe("many waits at once", () => {
  Test.effect("make at most 64 concurrent reads", function* () {
    let reading = 0
    let most = 0
    const { payments } = yield* Intents.make([
      () =>
        Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, ++reading))),
          () => Effect.as(Effect.sleep("1 second"), finds("COMPLETED")),
          () => Effect.sync(() => reading--)
        )
    ])
    const clock = new VirtualClock.VirtualClock(20)
    const waits = yield* Effect.replicateEffect(payments.awaitFinal(id), 200, {
      concurrency: "unbounded"
    }).pipe(clock.provide, Effect.fork)
    yield* clock.runUntil(waits)
    assert.lengthOf(yield* Fiber.join(waits), 200)
    assert.strictEqual(most, 64)
  })

  Test.effect("scale to 1,000", function* () {
    const clock = new VirtualClock.VirtualClock(20)
    const reads = new Map<string, number>()
    const { payments } = yield* Intents.make([
      ({ url }) =>
        Effect.delay(
          Effect.sync(() => {
            const id = url.slice(url.lastIndexOf("/") + 1)
            const count = (reads.get(id) ?? 0) + 1
            reads.set(id, count)
            return finds(count < 3 ? "PENDING" : "COMPLETED", { id })
          }),
          "20 millis"
        )
    ])
    const ids = Array.from({ length: 1_000 }, (_, i) =>
      PaymentIntent.makeId(`00000000-0000-4000-8000-${String(i).padStart(12, "0")}`)
    )
    const waits = yield* Effect.forEach(ids, (one) => payments.awaitFinal(one), {
      concurrency: "unbounded"
    }).pipe(clock.provide, Effect.fork)
    yield* clock.runUntil(waits)
    const ends = (yield* Fiber.join(waits)).map(({ id, status }) => [id, status])
    const completed = ids.map((id) => [id, "COMPLETED"])
    assert.deepStrictEqual(ends, completed)
    assert.deepStrictEqual(new Set(reads.values()), new Set([3]))
  })
})

type Wait = (payments: Payments.Service) => Effect.Effect<PaymentIntent.PaymentIntent, unknown>
const waits: ReadonlyArray<readonly [string, FakeService.Reaction, Wait]> = [
  [
    "that was just created",
    Intents.creates,
    ({ collect }) => collect(Intents.collectRequest, { key: Intents.key })
  ],
  ["that was read", finds("PENDING"), ({ awaitFinal }) => awaitFinal(id)]
]
for (const [what, first, wait] of waits) {
  Test.effect(`a resource ${what} is waited for although a replica responds 404`, function* () {
    const stale = Array.from({ length: 6 }, () => FakeService.failure(404))
    const { payments } = yield* Intents.make([first, ...stale, finds("COMPLETED")])
    assert.strictEqual((yield* Elapsed.toTheEnd(wait(payments))).status, "COMPLETED")
  })
}

Test.effect("a failed read is not retried before the next pause", function* () {
  const { payments, received } = yield* Intents.make([FakeService.failure(503)])
  yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id, { deadline: "450 millis" })))
  assert.lengthOf(received, 1)
})

Test.effect("a pause is no longer than the deadline, even if the clock was set back", function* () {
  const { ahead, clock } = yield* SettableClock.make
  const { payments } = yield* Intents.make([
    () =>
      Effect.sync(() => {
        ahead.millis = -86_400_000
        return FakeService.failure(503, { "retry-after": "7200" })
      }),
    finds("COMPLETED")
  ])
  const wait = Effect.withClock(payments.awaitFinal(id), clock)
  assert.strictEqual((yield* Elapsed.during("10 minutes", wait)).status, "COMPLETED")
})

Test.effect("no option makes the delay too short", function* () {
  const { payments, received } = yield* Intents.make([finds("PENDING")])
  const wait = { initial: 0, cap: 0, factor: Number.NaN, deadline: "1 second" } as const
  yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id, wait)))
  assert.isAtMost(received.length, 22)
})

Test.effect("a factor below 1 does not shorten the delays", function* () {
  const soon = Array.from({ length: 20 }, () => finds("PENDING"))
  const { payments } = yield* Intents.make([finds("PENDING"), ...soon, finds("COMPLETED")])
  const wait = { initial: "1 second", factor: 0.5, deadline: "3 seconds" } as const
  const error = yield* Effect.flip(Elapsed.toTheEnd(payments.awaitFinal(id, wait)))
  assert.strictEqual(error._tag, "PaymentStillPending")
})
