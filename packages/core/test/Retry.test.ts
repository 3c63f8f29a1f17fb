import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Errors from "@manilla/core/Errors"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as FakeService from "./utils/FakeService.js"

/** Runs a call to its end while the clock goes on. */
const toTheEnd = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(call))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

/** A reaction that shows each fault, for those that the service can cause. */
const shows: Record<
  Exclude<RetryPolicy.Fault, "InvalidRequest" | "TokenUnavailable">,
  FakeService.Reaction
> = {
  Unauthorized: FakeService.failure(401),
  Forbidden: FakeService.failure(403),
  Unprocessable: FakeService.failure(422),
  BadRequest: FakeService.failure(400),
  NotFound: FakeService.failure(404),
  RequestTimeout: FakeService.failure(408),
  Conflict: FakeService.failure(409),
  TooManyRequests: FakeService.failure(429),
  ServerFault: FakeService.failure(503),
  UnexpectedStatus: FakeService.failure(418),
  NotSent: { drop: "ECONNREFUSED" },
  ConnectionLost: { drop: "ECONNRESET" },
  TimedOut: "silence",
  NotAnEnvelope: { status: 200, body: "<html>" },
  TooLarge: { status: 200, body: "x".repeat(2000) },
  UnreadableSuccess: {
    status: 201,
    body: `{"success":true,"data":{"id":"thing-1","name":"a thing"}}`
  }
}

/** What the table must say, written out by hand: fault, outcome, Safe, Keyed, Once. */
const truth = [
  ["InvalidRequest", "not applied", "stop", "stop", "stop"],
  ["TokenUnavailable", "not applied", "stop", "stop", "stop"],
  ["Unauthorized", "not applied", "renew", "renew", "renew"],
  ["Forbidden", "not applied", "stop", "stop", "stop"],
  ["Unprocessable", "not applied", "stop", "stop", "stop"],
  ["BadRequest", "not applied", "stop", "stop", "stop"],
  ["NotFound", "not applied", "stop", "stop", "stop"],
  ["RequestTimeout", "unknown", "retry", "retry", "stop"],
  ["Conflict", "unknown", "stop", "stop", "stop"],
  ["TooManyRequests", "not applied", "retry", "retry", "stop"],
  ["ServerFault", "unknown", "retry", "retry", "stop"],
  ["UnexpectedStatus", "unknown", "stop", "stop", "stop"],
  ["NotSent", "not applied", "retry", "retry", "retry"],
  ["ConnectionLost", "unknown", "retry", "retry", "stop"],
  ["TimedOut", "unknown", "retry", "retry", "stop"],
  ["NotAnEnvelope", "unknown", "retry", "retry", "stop"],
  ["TooLarge", "unknown", "stop", "stop", "stop"],
  ["UnreadableSuccess", "applied", "stop", "stop", "stop"]
] as const

const requestsFor = { stop: 1, renew: 2, retry: 5 }

describe("the truth table", () => {
  it("says what it must, and nothing else", () => {
    assert.deepStrictEqual(
      Object.entries(RetryPolicy.table).map(([fault, rule]) => [
        fault,
        rule.outcome,
        rule.Safe,
        rule.Keyed,
        rule.Once
      ]),
      truth.map((row) => [...row])
    )
  })

  for (const [fault, outcome, safe, keyed, once] of truth) {
    if (fault === "InvalidRequest" || fault === "TokenUnavailable") continue
    const reaction = shows[fault]

    it.effect(`${fault}: a read is sent ${requestsFor[safe]} times`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([reaction], { bodyLimit: 1000 })
        const result = yield* toTheEnd(calls.read(FakeService.calls.read))
        assert.strictEqual(received.length, requestsFor[safe])
        const error = yield* Either.flip(result)
        assert.strictEqual(RetryPolicy.faultOf(error), fault)
      })
    )

    it.effect(`${fault}: a keyed write is sent ${requestsFor[keyed]} times, unchanged`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([reaction], { bodyLimit: 1000 })
        const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
        assert.strictEqual(received.length, requestsFor[keyed])
        assert.strictEqual(new Set(received.map(({ body }) => body)).size, 1)
        assert.deepStrictEqual(
          new Set(received.map(({ headers }) => headers["idempotency-key"])),
          new Set([FakeService.key])
        )
        assertOutcome(error, outcome, FakeService.key, received.length)
      })
    )

    it.effect(`${fault}: a write without a key is sent ${requestsFor[once]} times`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([reaction], { bodyLimit: 1000 })
        const error = yield* Either.flip(
          yield* toTheEnd(calls.writeOnce(FakeService.calls.writeOnce))
        )
        assert.strictEqual(received.length, requestsFor[once])
        assertOutcome(error, outcome, undefined, received.length)
      })
    )
  }
})

const assertOutcome = (
  error: Errors.WriteError,
  outcome: RetryPolicy.Outcome,
  key: string | undefined,
  attempts: number
) => {
  switch (outcome) {
    case "unknown":
      assert(error._tag === "OutcomeUnknown", error._tag)
      assert.strictEqual(error.key, key)
      assert.strictEqual(error.attempts, attempts)
      break
    case "applied":
      assert(error._tag === "AppliedUnreadable", error._tag)
      assert.strictEqual(error.key, key)
      assert.strictEqual(error.id, "thing-1")
      break
    case "not applied":
      assert.notInclude(["OutcomeUnknown", "AppliedUnreadable"], error._tag)
  }
}

describe("a write over several attempts", () => {
  const unknownThen = (later: FakeService.Reaction) =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([{ drop: "ECONNRESET" }, later])
      const result = yield* toTheEnd(calls.write(FakeService.calls.write))
      return { received, result }
    })

  for (const status of [400, 403, 404, 422]) {
    it.effect(`stays unknown when a lost answer is followed by ${status}`, () =>
      Effect.gen(function* () {
        const { result } = yield* unknownThen(FakeService.failure(status))
        const error = yield* Either.flip(result)
        assert(error._tag === "OutcomeUnknown")
        assert.strictEqual(error.attempts, 2)
        assert("status" in error.cause)
        assert.strictEqual(error.cause.status, status)
      })
    )
  }

  it.effect("stays unknown when a lost answer is followed by no connection at all", () =>
    Effect.gen(function* () {
      const { received, result } = yield* unknownThen({ drop: "ECONNREFUSED" })
      const error = yield* Either.flip(result)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(received.length, 5)
    })
  )

  for (const [what, then] of [
    ["dies", Effect.die(new Error("hush"))],
    ["is interrupted by another caller", Effect.interrupt],
    ["has wiped its token", Effect.sync(wiped)]
  ] as const) {
    it.effect(`stays unknown when the source of its tokens ${what} after a lost answer`, () =>
      Effect.gen(function* () {
        const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }, FakeService.success], {
          tokens: tokensFor(1, then)
        })
        const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
        assert(error._tag === "OutcomeUnknown")
        assert.strictEqual(error.key, FakeService.key)
        assert.strictEqual(error.attempts, 1)
        assert.strictEqual(error.cause._tag, "TokenUnavailable")
        assert.notInclude(error.message, "hush")
      })
    )

    it.effect(`was not sent when the source of its tokens ${what} before`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([FakeService.success], {
          tokens: tokensFor(0, then),
          retry: { attempts: 1 }
        })
        const error = yield* Effect.flip(calls.write(FakeService.calls.write))
        assert.strictEqual(error._tag, "TokenUnavailable")
        assert.lengthOf(received, 0)
      })
    )
  }

  it.effect("is told although its token was wiped while it was under way", () =>
    Effect.gen(function* () {
      const used = wipeable()
      const { calls } = yield* FakeService.make(
        [
          () =>
            Effect.sync(() => {
              Redacted.unsafeWipe(used.value)
              return FakeService.failure(503)
            })
        ],
        { tokens: { get: Effect.succeed(used), reject: () => Effect.void }, retry: { attempts: 1 } }
      )
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.key, FakeService.key)
      assert.strictEqual(error.attempts, 1)
    })
  )

  it.effect("stays unknown when there is no other token after a lost answer", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }, FakeService.success], {
        tokens: tokensFor(1, noToken)
      })
      const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.cause._tag, "TokenUnavailable")
    })
  )

  it.effect("succeeds when a lost answer is followed by a readable one", () =>
    Effect.gen(function* () {
      const { result } = yield* unknownThen(FakeService.success)
      const envelope = yield* result
      assert.strictEqual(envelope.data.id, "thing-1")
    })
  )

  it.effect("is not sent again after a success that cannot be read", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([
        { drop: "ECONNRESET" },
        { status: 201, body: `{"success":true,"data":{"reference":"R1","id":7,"name":"a thing"}}` },
        FakeService.success
      ])
      const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
      assert(error._tag === "AppliedUnreadable")
      assert.strictEqual(error.reference, "R1")
      assert.strictEqual(error.id, undefined)
      assert.strictEqual(received.length, 2)
    })
  )
})

describe("a refused token", () => {
  it.effect("is renewed once, and the attempt is extra", () =>
    Effect.gen(function* () {
      const { calls, received, rejected } = yield* FakeService.make([
        FakeService.failure(401),
        FakeService.success
      ])
      yield* calls.writeOnce(FakeService.calls.writeOnce)
      assert.deepStrictEqual(rejected, ["token-0"])
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["authorization"]),
        ["Bearer token-0", "Bearer token-1"]
      )
    })
  )

  it.effect("whose successor does not come in time is no Unauthorized", () =>
    Effect.gen(function* () {
      let asked = 0
      const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
        retry: { deadline: "1 minute" },
        tokens: {
          get: Effect.suspend(() => (asked++ === 0 ? Effect.succeed(token) : Effect.never)),
          reject: () => Effect.void
        }
      })
      const both: ReadonlyArray<Effect.Effect<unknown, Errors.ReadError | Errors.WriteError>> = [
        calls.read(FakeService.calls.read),
        calls.write(FakeService.calls.write)
      ]
      for (const call of both) {
        asked = 0
        const error = yield* Either.flip(yield* toTheEnd(call))
        assert(error._tag === "TokenUnavailable")
        assert.strictEqual(error.cause?._tag, "TimedOut")
      }
      assert.strictEqual(received.length, 2)
    })
  )

  it.effect("is given back even when no time is left for another", () =>
    Effect.gen(function* () {
      const { calls, received, rejected } = yield* FakeService.make(
        [() => Effect.delay(Effect.succeed(FakeService.failure(401)), "930 millis")],
        { retry: { deadline: "1 second", attemptTimeout: "1 second" } }
      )
      const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
      assert.strictEqual(error._tag, "Unauthorized")
      assert.deepStrictEqual(rejected, ["token-0"])
      assert.strictEqual(received.length, 1)
    })
  )

  it.effect("leaves an earlier doubt when what it is given back to throws", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(
        [{ drop: "ECONNRESET" }, FakeService.failure(401), FakeService.success],
        {
          tokens: {
            ...tokensFor(2, noToken),
            reject: () => {
              throw new Error("hush")
            }
          }
        }
      )
      const error = yield* Either.flip(yield* toTheEnd(calls.write(FakeService.calls.write)))
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.key, FakeService.key)
      assert.notInclude(error.message, "hush")
    })
  )

  for (const [what, reject] of [
    ["dies", Effect.die(new Error("hush"))],
    ["is interrupted", Effect.interrupt]
  ] as const) {
    it.effect(`is refused no less when what it is given back to ${what}`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
          tokens: { get: Effect.succeed(token), reject: () => reject }
        })
        const error = yield* Effect.flip(calls.write(FakeService.calls.write))
        assert(error._tag === "Unauthorized")
        assert.notInclude(error.message, "hush")
        assert.strictEqual(received.length, 2)
      })
    )
  }

  it.effect("is given back in the time of an attempt, or not at all", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.failure(401), FakeService.success], {
        tokens: { get: Effect.succeed(token), reject: () => Effect.never }
      })
      const fiber = yield* Effect.fork(calls.read(FakeService.calls.read))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).data.id, "thing-1")
    })
  )

  it.effect("that is not given back in the call's time is a token that did not come", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.failure(401)], {
        retry: { deadline: "20 seconds" },
        tokens: { get: Effect.succeed(token), reject: () => Effect.never }
      })
      const fiber = yield* Effect.fork(Effect.flip(calls.read(FakeService.calls.read)))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TokenUnavailable")
    })
  )

  it.effect("fails with Unauthorized when the new one is refused too", () =>
    Effect.gen(function* () {
      const { calls, received, rejected } = yield* FakeService.make([FakeService.failure(401)])
      const error = yield* Effect.flip(calls.read(FakeService.calls.read))
      assert(error._tag === "Unauthorized")
      assert.strictEqual(received.length, 2)
      assert.deepStrictEqual(rejected, ["token-0"])
    })
  )
})

describe("an error of the client's own, which may come after the request left", () => {
  // A dispatcher that follows redirects refuses a loop as an invalid argument: after the answer.
  for (const reaction of [{ drop: "UND_ERR_INVALID_ARG" }, { fails: "Encode" }] as const) {
    it.effect(`leaves a write unknown: ${JSON.stringify(reaction)}`, () =>
      Effect.gen(function* () {
        const { calls } = yield* FakeService.make([reaction], { retry: { attempts: 1 } })
        const error = yield* Effect.flip(calls.write(FakeService.calls.write))
        assert.strictEqual(error._tag, "OutcomeUnknown")
      })
    )
  }
})

it.effect("a client that fails on statuses has an answer all the same", () =>
  Effect.gen(function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(422)], {
      through: HttpClient.filterStatusOk
    })
    const error = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert.strictEqual(error._tag, "Unprocessable")
    assert.strictEqual(received.length, 1)
  })
)

describe("time", () => {
  const pauses = (received: ReadonlyArray<FakeService.Received>) =>
    received.slice(1).map(({ atMillis }, i) => atMillis - (received[i]?.atMillis ?? 0))

  it.effect("Retry-After is honoured, in seconds", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([
        FakeService.failure(429, { "retry-after": "7" }),
        FakeService.success
      ])
      yield* toTheEnd(calls.read(FakeService.calls.read))
      assert.isAtLeast(pauses(received)[0] ?? 0, 7000)
      assert.isAtMost(pauses(received)[0] ?? 0, 7250)
    })
  )

  it.effect("Retry-After is honoured, as a date", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-31T12:00:00Z"))
      const { calls, received } = yield* FakeService.make([
        FakeService.failure(503, { "retry-after": "Sat, 31 Jan 2026 12:00:20 GMT" }),
        FakeService.success
      ])
      yield* toTheEnd(calls.read(FakeService.calls.read))
      assert.isAtLeast(pauses(received)[0] ?? 0, 20_000)
    })
  )

  it.effect("a Retry-After beyond the deadline ends the call at once", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([
        FakeService.failure(429, { "retry-after": "3600" })
      ])
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert(error._tag === "TooManyRequests")
      assert.strictEqual(error.retryAfterMillis, 3_600_000)
      assert.strictEqual(received.length, 1)
    })
  )

  it.effect("the deadline bounds a call, its silent attempts included", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(["silence"], {
        retry: { attemptTimeout: "10 seconds", deadline: "25 seconds", base: "1 milli" }
      })
      const call = yield* Effect.fork(Effect.flip(calls.write(FakeService.calls.write)))
      yield* TestClock.adjust("25 seconds")
      const error = yield* Fiber.join(call)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.attempts, received.length)
      assert.strictEqual(received.length, 3)
    })
  )

  it.effect("each back-off is drawn from twice as much as the one before", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.failure(503)])
      const read = calls.read(FakeService.calls.read)
      yield* toTheEnd(Effect.withRandom(read, Random.fixed([0.5])))
      assert.deepStrictEqual(pauses(received), [125, 250, 500, 1000])
    })
  )

  it.effect("an attempt has its whole time, however long its token took", () =>
    Effect.gen(function* () {
      const slow = (afterMillis: number) => () =>
        Effect.delay(Effect.succeed(FakeService.success), afterMillis)
      const { calls } = yield* FakeService.make([slow(9900)], {
        retry: { attempts: 1, attemptTimeout: "10 seconds" },
        tokens: {
          get: Effect.delay(Effect.succeed(token), "9900 millis"),
          reject: () => Effect.void
        }
      })
      const call = yield* Effect.fork(calls.write(FakeService.calls.write))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(call)).data.id, "thing-1")
    })
  )

  it.effect("and no more than that", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(["silence"], {
        retry: { attempts: 1, attemptTimeout: "10 seconds" },
        tokens: {
          get: Effect.delay(Effect.succeed(token), "4 seconds"),
          reject: () => Effect.void
        }
      })
      const call = yield* Effect.fork(Effect.flip(calls.write(FakeService.calls.write)))
      yield* TestClock.adjust("13999 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(call)))
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(call))._tag, "OutcomeUnknown")
    })
  )

  it.effect("nor when the clock is set forward while its token comes", () =>
    Effect.gen(function* () {
      let aheadMillis = 0
      const clock = yield* Effect.clock
      const set: Clock.Clock = Object.create(clock, {
        currentTimeMillis: {
          get: () => Effect.map(clock.currentTimeMillis, (millis) => millis + aheadMillis)
        }
      })
      const { calls } = yield* FakeService.make(["silence"], {
        retry: { attempts: 1, attemptTimeout: "10 seconds", deadline: "2 hours" },
        tokens: {
          get: Effect.sync(() => {
            aheadMillis = 3_600_000
            return token
          }),
          reject: () => Effect.void
        }
      })
      const write = Effect.withClock(calls.write(FakeService.calls.write), set)
      const call = yield* Effect.fork(Effect.flip(write))
      yield* TestClock.adjust("20 seconds")
      assert.isTrue(Option.isSome(yield* Fiber.poll(call)))
      yield* Fiber.interrupt(call)
    })
  )

  it.effect("a write is not begun when no time is left for its answer", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(["silence"], {
        retry: { deadline: "10 seconds" },
        tokens: {
          get: Effect.delay(Effect.succeed(token), "9900 millis"),
          reject: () => Effect.void
        }
      })
      const call = yield* Effect.fork(Effect.flip(calls.write(FakeService.calls.write)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(call))._tag, "TokenUnavailable")
      assert.strictEqual(received.length, 0)
    })
  )

  it.effect("a write does not wait for an attempt that will not be begun, nor pays for it", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(
        [
          FakeService.failure(503, { "retry-after": "178" }),
          FakeService.failure(503),
          FakeService.success
        ],
        { retry: { budget: 1 } }
      )
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual(received.length, 1)
      assert.isTrue(Either.isRight(yield* toTheEnd(calls.write(FakeService.calls.write))))
      assert.strictEqual(received.length, 3)
    })
  )

  it.effect("an attempt that ran out of time says how long it had", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(["silence"], {
        retry: { attempts: 1, attemptTimeout: "30 seconds", deadline: "10 seconds" },
        tokens: {
          get: Effect.delay(Effect.succeed(token), "4 seconds"),
          reject: () => Effect.void
        }
      })
      const call = yield* Effect.fork(Effect.flip(calls.read(FakeService.calls.read)))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(call)
      assert(error._tag === "TimedOut")
      assert.strictEqual(error.afterMillis, 6000)
    })
  )

  it.prop(
    "the back-off lies between zero and its ceiling",
    [Schema.Int.pipe(Schema.between(1, 40)), Schema.Number.pipe(Schema.between(0, 0.999999))],
    ([attempt, chance]) => {
      const wait = RetryPolicy.backoff(RetryPolicy.defaults, attempt, chance, undefined)
      const cap = Duration.toMillis(RetryPolicy.defaults.cap)
      assert.isAtLeast(wait, 0)
      assert.isAtMost(wait, Math.min(cap, 250 * 2 ** (attempt - 1)))
    }
  )
})

const wipeable = () => ({ value: Redacted.make("a-token"), environment: "SANDBOX", scopes: [] })

const token = wipeable()

const wiped = () => {
  const token = wipeable()
  Redacted.unsafeWipe(token.value)
  return token
}

const noToken = new Errors.TokenUnavailable({ operation: "Token.obtain", message: "none" })

/** A source that gives its token so often, and then this. */
const tokensFor = (count: number, then: BearerTokens.Service["get"]): BearerTokens.Service => {
  let left = count
  return {
    get: Effect.suspend(() => (left-- > 0 ? Effect.succeed(token) : then)),
    reject: () => Effect.void
  }
}

describe("the retry budget", () => {
  it.effect("a service that is down sees few more attempts than calls", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.failure(503)], {
        retry: { budget: 10 }
      })
      yield* toTheEnd(
        Effect.all(
          Array.from({ length: 200 }, () => Effect.either(calls.read(FakeService.calls.read))),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(received.length, 210)
    })
  )

  it.effect("has back what a retry took that succeeded", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(
        [
          FakeService.failure(503),
          FakeService.success,
          FakeService.failure(503),
          FakeService.success
        ],
        { retry: { budget: 1 } }
      )
      const read = calls.read(FakeService.calls.read)
      yield* yield* toTheEnd(read)
      yield* yield* toTheEnd(read)
      assert.strictEqual(received.length, 4)
    })
  )

  it.effect("holds no more than it began with, however much goes well", () =>
    Effect.gen(function* () {
      const up = Array.from({ length: 50 }, () => FakeService.success)
      const { calls, received } = yield* FakeService.make(
        [FakeService.success, ...up, FakeService.failure(503)],
        { retry: { budget: 1 } }
      )
      const read = calls.read(FakeService.calls.read)
      yield* Effect.repeatN(read, 50)
      yield* toTheEnd(read)
      assert.strictEqual(received.length - 51, 2)
    })
  )

  it.effect("is not there for a tenth of a retry", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(
        [
          FakeService.failure(503),
          FakeService.failure(503),
          FakeService.success,
          FakeService.failure(503)
        ],
        { retry: { budget: 1 } }
      )
      const read = calls.read(FakeService.calls.read)
      for (const attempts of [2, 1, 1]) {
        const before = received.length
        yield* toTheEnd(read)
        assert.strictEqual(received.length - before, attempts)
      }
    })
  )

  it.effect("is earned back by successes", () =>
    Effect.gen(function* () {
      const down = Array.from({ length: 5 }, () => FakeService.failure(503))
      const up = Array.from({ length: 20 }, () => FakeService.success)
      const { calls, received } = yield* FakeService.make(
        [FakeService.failure(503), ...down, ...up, FakeService.failure(503)],
        { retry: { budget: 2 } }
      )
      const read = calls.read(FakeService.calls.read)
      yield* toTheEnd(Effect.either(read))
      assert.strictEqual(received.length, 3)
      yield* toTheEnd(Effect.repeatN(Effect.either(read), 22))
      const before = received.length
      yield* toTheEnd(Effect.either(read))
      assert.strictEqual(received.length - before, 3)
    })
  )
})

describe("an interrupted call", () => {
  it.effect("ends at once", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(["silence"])
      const fiber = yield* Effect.fork(calls.write(FakeService.calls.write))
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(received.length, 1)
      yield* Fiber.interrupt(fiber)
    })
  )
})
