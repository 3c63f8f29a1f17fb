import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Errors from "@manilla/core/Errors"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

type Calls = Effect.Effect.Success<ReturnType<typeof FakeService.make>>["calls"]

/** A read and a keyed write. */
const both = (
  { read, write }: Calls,
  options?: { readonly timeout: number }
): ReadonlyArray<Effect.Effect<unknown, Errors.ReadError | Errors.KeyedWriteError>> => [
  read(FakeService.calls.read, options),
  write(FakeService.calls.write, options)
]

/** A response for each fault that a service can cause. */
const shows: Record<
  Exclude<RetryPolicy.Fault, "InvalidRequestError" | "TokenUnavailableError">,
  FakeService.Reaction
> = {
  UnauthorizedError: FakeService.failure(401),
  ForbiddenError: FakeService.failure(403),
  UnprocessableError: FakeService.failure(422),
  BadRequestError: FakeService.failure(400),
  NotFoundError: FakeService.failure(404),
  RequestTimeout: FakeService.failure(408),
  ConflictError: FakeService.failure(409),
  RateLimitError: FakeService.failure(429),
  ServerError: FakeService.failure(503),
  UnexpectedStatusError: FakeService.failure(418),
  NotSent: { drop: "ECONNREFUSED" },
  ConnectionLost: { drop: "ECONNRESET" },
  TimeoutError: "silence",
  UnreadableResponse: { status: 200, body: "<html>" },
  TooLarge: { status: 200, body: "x".repeat(2000) },
  UnreadableSuccess: {
    status: 201,
    body: `{"success":true,"data":{"id":"thing-1","name":"a thing"}}`
  }
}

/** The expected table, written by hand: fault, outcome, Safe, Keyed, Once. */
const truth = [
  ["InvalidRequestError", "notApplied", "stop", "stop", "stop"],
  ["TokenUnavailableError", "notApplied", "stop", "stop", "stop"],
  ["UnauthorizedError", "notApplied", "renew", "renew", "renew"],
  ["ForbiddenError", "notApplied", "stop", "stop", "stop"],
  ["UnprocessableError", "notApplied", "stop", "stop", "stop"],
  ["BadRequestError", "notApplied", "stop", "stop", "stop"],
  ["NotFoundError", "notApplied", "stop", "stop", "stop"],
  ["RequestTimeout", "unknown", "retry", "retry", "stop"],
  ["ConflictError", "unknown", "stop", "stop", "stop"],
  ["RateLimitError", "notApplied", "retry", "retry", "stop"],
  ["ServerError", "unknown", "retry", "retry", "stop"],
  ["UnexpectedStatusError", "unknown", "stop", "stop", "stop"],
  ["NotSent", "notApplied", "retry", "retry", "retry"],
  ["ConnectionLost", "unknown", "retry", "retry", "stop"],
  ["TimeoutError", "unknown", "retry", "retry", "stop"],
  ["UnreadableResponse", "unknown", "retry", "retry", "stop"],
  ["TooLarge", "unknown", "stop", "stop", "stop"],
  ["UnreadableSuccess", "applied", "stop", "stop", "stop"]
] as const

const requestsFor = { stop: 1, renew: 2, retry: 5 }

describe("the truth table", () => {
  it("has exactly the expected rows", () => {
    const rows = Object.entries(RetryPolicy.table).map(([fault, rule]) => {
      const { Keyed, Once, outcome, Safe } = rule
      return [fault, outcome, Safe, Keyed, Once]
    })
    const expected = truth.map((row) => [...row])
    assert.deepStrictEqual(rows, expected)
  })

  it("takes each other status for an unexpected one", () => {
    const faults = [199, 300, 499, 500, 599, 600].map(RetryPolicy.faultOfStatus)
    const [unexpected, error] = ["UnexpectedStatusError", "ServerError"] as const
    assert.deepStrictEqual(faults, [unexpected, unexpected, unexpected, error, error, unexpected])
  })

  for (const [fault, outcome, safe, keyed, once] of truth) {
    if (fault === "InvalidRequestError" || fault === "TokenUnavailableError") continue
    const reaction = shows[fault]

    const over = FakeService.make([reaction], { bodyLimit: 1000 })

    Test.effect(`${fault}: a read is sent ${requestsFor[safe]} times`, function* () {
      const { calls, received } = yield* over
      const error = yield* Effect.flip(Elapsed.toTheEnd(calls.read(FakeService.calls.read)))
      assert.strictEqual(received.length, requestsFor[safe])
      assert.strictEqual(RetryPolicy.faultOf(error), fault)
      // A wait goes on after the same faults, also of the request for a token.
      assert.strictEqual(RetryPolicy.isPassing(error), safe === "retry")
      assert(error._tag !== "TokenUnavailableError")
      const message = "no token"
      const noToken = new Errors.TokenUnavailableError({ operation: "o", message, cause: error })
      assert.strictEqual(RetryPolicy.isPassing(noToken), safe === "retry")
    })

    for (const [call, rule, key] of [
      ["write", keyed, FakeService.key],
      ["writeOnce", once, undefined]
    ] as const) {
      Test.effect(`${fault}: a ${call} is sent ${requestsFor[rule]} times unchanged`, function* () {
        const { calls, received } = yield* over
        const sent: Effect.Effect<unknown, Errors.WriteError | Errors.KeyedWriteError> =
          call === "write"
            ? calls.write(FakeService.calls.write)
            : calls.writeOnce(FakeService.calls.writeOnce)
        const error = yield* Effect.flip(Elapsed.toTheEnd(sent))
        assert.strictEqual(received.length, requestsFor[rule])
        for (const { body, headers } of received) {
          assert.strictEqual(body, received[0]?.body)
          assert.strictEqual(headers["idempotency-key"], key)
        }
        assertOutcome(error, outcome, key, received.length)
      })
    }
  }
})

const assertOutcome = (
  error: Errors.WriteError | Errors.KeyedWriteError,
  outcome: Errors.Outcome,
  key: string | undefined,
  attempts: number
) => {
  assert.strictEqual(Errors.outcome(error), outcome)
  // The rule of the names: only a write that was not applied fails with an `…Error`.
  assert.strictEqual(error._tag.endsWith("Error"), outcome === "notApplied", error._tag)
  switch (outcome) {
    case "unknown":
      assert("attempts" in error)
      assert.strictEqual("key" in error ? error.key : undefined, key)
      assert.strictEqual(error.attempts, attempts)
      assert.include(error.message, "the request may have been applied")
      break
    case "applied":
      assert("issues" in error && "id" in error)
      assert.strictEqual("key" in error ? error.key : undefined, key)
      assert.strictEqual(error.id, "thing-1")
      assert.include(error.message, "was applied")
      break
    case "notApplied":
      assert.include(error.message, "This request was not applied.")
  }
}

describe("the outcome of an error", () => {
  const operation = "Things.write"
  const lost = (sent: boolean) => new Errors.TransportError({ operation, message: "lost", sent })
  const late = new Errors.TimeoutError({ operation, message: "late", afterMillis: 1 })
  const invalid = new Errors.InvalidRequestError({ operation, message: "invalid", issues: [] })
  const noToken = new Errors.TokenUnavailableError({ operation, message: "no token", cause: late })

  it("is notApplied if the request was not sent", () => {
    for (const error of [lost(false), invalid, noToken]) {
      assert.strictEqual(Errors.outcome(error), "notApplied", error._tag)
    }
  })

  it("is unknown if the request was sent, or if its type does not allow the error", () => {
    for (const error of [lost(true), late, new DOMException("aborted", "AbortError")]) {
      assert.strictEqual(Errors.outcome(error as never), "unknown", error.name)
    }
  })
})

describe("a write over several attempts", () => {
  const unknownThen = (later: FakeService.Reaction) =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([{ drop: "ECONNRESET" }, later])
      const result = yield* Elapsed.toTheEnd(Effect.either(calls.write(FakeService.calls.write)))
      return { received, result }
    })

  for (const status of [400, 403, 404, 422]) {
    Test.effect(`has an unknown outcome after a lost response and status ${status}`, function* () {
      const { result } = yield* unknownThen(FakeService.failure(status))
      const error = yield* Either.flip(result)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.attempts, 2)
      assert("status" in error.cause)
      assert.strictEqual(error.cause.status, status)
    })
  }

  Test.effect("is unknown after a lost response and a refused connection", function* () {
    const { received, result } = yield* unknownThen({ drop: "ECONNREFUSED" })
    assert.strictEqual((yield* Either.flip(result))._tag, "OutcomeUnknown")
    assert.strictEqual(received.length, 5)
  })

  const wiped = Redacted.make("hush")
  Redacted.unsafeWipe(wiped)
  const sources: ReadonlyArray<readonly [string, BearerTokens.Service["get"]]> = [
    ["dies", () => Effect.die(new Error("hush"))],
    ["throws", hush],
    ["is interrupted by another caller", () => Effect.interrupt],
    ["has no token", () => Effect.fail(noToken)],
    ["has wiped its token", () => Effect.succeed({ ...token, value: wiped })]
  ]
  for (const [what, then] of sources) {
    Test.effect(`is unknown when the token source ${what} after a lost response`, function* () {
      const { calls, received } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
        tokens: FakeService.tokensFor(1, then)
      })
      const error = yield* Effect.flip(Elapsed.toTheEnd(calls.write(FakeService.calls.write)))
      assert(error._tag === "OutcomeUnknown")
      assert.deepInclude(error, { key: FakeService.key, attempts: 1 })
      assert.strictEqual(error.cause._tag, "TokenUnavailableError")
      assert.notInclude(error.message, "hush")
      assert.lengthOf(received, 1)
    })

    Test.effect(`is not sent when the token source ${what} before the first attempt`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], {
        tokens: FakeService.tokensFor(0, then)
      })
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert.strictEqual(error._tag, "TokenUnavailableError")
      assert.lengthOf(received, 0)
    })
  }

  Test.effect("names the last response, not the 401 before it, without a token", function* () {
    const { calls } = yield* FakeService.make(
      [FakeService.failure(401), FakeService.failure(503), FakeService.success],
      { tokens: FakeService.tokensFor(2, () => Effect.fail(noToken)) }
    )
    const error = yield* Effect.flip(Elapsed.toTheEnd(calls.write(FakeService.calls.write)))
    assert(error._tag === "OutcomeUnknown")
    assert.strictEqual(error.cause._tag, "TokenUnavailableError")
  })

  Test.effect("succeeds after a lost response and a readable one", function* () {
    const { result } = yield* unknownThen(FakeService.success)
    assert.strictEqual((yield* result).id, "thing-1")
  })

  Test.effect("is not retried after an unreadable success", function* () {
    const { received, result } = yield* unknownThen(
      FakeService.answer({ reference: "R1", id: 7, name: "a thing" }, 201)
    )
    const error = yield* Either.flip(result)
    assert(error._tag === "AppliedUnreadable")
    assert.strictEqual(error.reference, "R1")
    assert.strictEqual(error.id, undefined)
    assert.strictEqual(received.length, 2)
  })
})

describe("a rejected token", () => {
  Test.effect("is renewed once, with an extra attempt", function* () {
    const { calls, received, rejected } = yield* FakeService.make([
      FakeService.failure(401),
      FakeService.success
    ])
    yield* calls.writeOnce(FakeService.calls.writeOnce)
    assert.deepStrictEqual(rejected, ["token-0"])
    const sent = received.map(({ headers }) => headers["authorization"])
    assert.deepStrictEqual(sent, ["Bearer token-0", "Bearer token-1"])
  })

  Test.effect("is reported as obtained last, although an earlier one was the same", function* () {
    const [obtained, rejected]: [Array<unknown>, Array<unknown>] = [[], []]
    const obtain = Effect.sync(() => {
      const token = { ...FakeService.token, value: Redacted.make(FakeService.tokenText) }
      obtained.push(token)
      return token
    })
    const tokens = FakeService.tokens(
      () => obtain,
      (token) => Effect.sync(() => void rejected.push(token))
    )
    const { calls } = yield* FakeService.make(
      [FakeService.success, FakeService.failure(401), FakeService.success],
      { tokens }
    )
    yield* calls.read(FakeService.calls.read)
    yield* calls.read(FakeService.calls.read)
    assert.lengthOf(rejected, 1)
    assert.strictEqual(rejected[0], obtained[1])
  })

  Test.effect("causes TokenUnavailableError if the next one does not come in time", function* () {
    let asked = 0
    const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
      retry: { deadline: "1 minute" },
      tokens: {
        origin: "https://accounts.example:8443",
        ...FakeService.tokens(() => (asked++ === 0 ? Effect.succeed(token) : Effect.never))
      }
    })
    for (const call of both(calls)) {
      asked = 0
      const error = yield* Effect.flip(Elapsed.toTheEnd(call))
      assert(error._tag === "TokenUnavailableError")
      assert.include(
        error.message,
        "no token was obtained from https://accounts.example:8443 within"
      )
      assert.strictEqual(error.cause?._tag, "TimeoutError")
    }
    assert.strictEqual(received.length, 2)
  })

  for (const [status, expected] of [
    [401, ["token-0"]],
    [503, []]
  ] as const) {
    Test.effect(`is reported when no time is left after a ${status}: ${expected}`, function* () {
      const { calls, received, rejected } = yield* FakeService.make(
        [() => Effect.delay(Effect.succeed(FakeService.failure(status)), "930 millis")],
        { retry: { deadline: "1 second", attemptTimeout: "1 second" } }
      )
      const error = yield* Effect.flip(Elapsed.toTheEnd(calls.write(FakeService.calls.write)))
      assert.strictEqual(error._tag, status === 401 ? "UnauthorizedError" : "OutcomeUnknown")
      assert.include(error.message, "too little time is left before the deadline")
      assert.deepStrictEqual<ReadonlyArray<string>>(rejected, expected)
      assert.strictEqual(received.length, 1)
    })
  }

  Test.effect("does not change an unknown outcome when the source throws in reject", function* () {
    const { calls } = yield* FakeService.make(
      [{ drop: "ECONNRESET" }, FakeService.failure(401), FakeService.success],
      { tokens: { ...FakeService.tokensFor(2, () => Effect.fail(noToken)), reject: hush } }
    )
    const error = yield* Effect.flip(Elapsed.toTheEnd(calls.write(FakeService.calls.write)))
    assert(error._tag === "OutcomeUnknown")
    assert.strictEqual(error.key, FakeService.key)
    assert.notInclude(error.message, "hush")
  })

  for (const [what, reject] of [
    ["dies", Effect.die(new Error("hush"))],
    ["is interrupted", Effect.interrupt]
  ] as const) {
    Test.effect(`causes UnauthorizedError when the source ${what} in reject`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
        tokens: FakeService.tokens(undefined, () => reject)
      })
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert(error._tag === "UnauthorizedError")
      assert.notInclude(error.message, "hush")
      assert.strictEqual(received.length, 2)
    })
  }

  Test.effect("is reported to its source within the attempt timeout", function* () {
    const { calls } = yield* FakeService.make([FakeService.failure(401), FakeService.success], {
      tokens: FakeService.tokens(undefined, () => Effect.never)
    })
    yield* Elapsed.during("30 seconds", calls.read(FakeService.calls.read))
  })

  Test.effect("is not followed by a write after the deadline", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
      retry: { deadline: "20 seconds" },
      tokens: FakeService.tokens(undefined, () => Effect.never)
    })
    const write = Effect.flip(calls.write(FakeService.calls.write))
    const error = yield* Elapsed.during("20 seconds", write)
    assert.strictEqual(error._tag, "UnauthorizedError")
    assert.strictEqual(received.length, 1)
  })

  Test.effect("causes UnauthorizedError when the source refuses to renew it", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(401)], {
      tokens: FakeService.tokensFor(1, () => Effect.fail(noToken))
    })
    const error = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert(error._tag === "UnauthorizedError")
    assert.include(error.message, "failed with status 401")
    assert.include(error.message, "No new token: none")
    assert.strictEqual(received.length, 1)
  })

  Test.effect("causes TokenUnavailableError when its renewal fails for a while", function* () {
    const passing = new Errors.TokenUnavailableError({
      operation: "Token.obtain",
      message: "Token.obtain failed with status 503",
      cause: new Errors.ServerError({ operation: "Token.obtain", message: "503", status: 503 })
    })
    const { calls } = yield* FakeService.make([FakeService.failure(401)], {
      tokens: FakeService.tokensFor(1, () => Effect.fail(passing))
    })
    const error = yield* Effect.flip(calls.read(FakeService.calls.read))
    assert.deepStrictEqual({ ...error }, { ...passing })
  })
})

describe("a token", () => {
  Test.effect("is requested with the time that the call can wait", function* () {
    const asked: Array<number> = []
    const { calls } = yield* FakeService.make([FakeService.success], {
      tokens: FakeService.tokens((limitMillis) => {
        asked.push(limitMillis)
        return Effect.succeed(token)
      })
    })
    yield* calls.read(FakeService.calls.read, { timeout: "5 seconds" })
    assert.deepStrictEqual(asked, [5000])
  })

  Test.effect("is obtained in the context of its caller", function* () {
    const name = FiberRef.unsafeMake("nobody")
    const seen: Array<string> = []
    const get = Effect.gen(function* () {
      seen.push(yield* FiberRef.get(name), Option.getOrThrow(yield* Effect.serviceOption(Name)))
      yield* Effect.sleep(10)
      return token
    })
    const { calls } = yield* FakeService.make([FakeService.success], {
      tokens: FakeService.tokens(() => get)
    })
    const read = Effect.locally(calls.read(FakeService.calls.read), name, "a caller")
    yield* Elapsed.during(10, Effect.provideService(read, Name, "a service"))
    assert.deepStrictEqual(seen, ["a caller", "a service"])
  })

  for (const [how, never] of [
    ["never responds", Effect.never],
    ["cannot be interrupted", Effect.uninterruptible(Effect.never)]
  ] as const) {
    Test.effect(`is unavailable at the deadline when the source ${how}`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], {
        tokens: FakeService.tokens(() => never)
      })
      const write = Effect.flip(calls.write(FakeService.calls.write))
      const error = yield* Elapsed.during("177 seconds", write)
      assert(error._tag === "TokenUnavailableError")
      assert.strictEqual(error.operation, "Things.write")
      assert.strictEqual(error.cause?._tag, "TimeoutError")
      assert.include(error.message, "no token was obtained within 177000 ms")
      assert.strictEqual(received.length, 0)
    })
  }

  Test.effect("is no longer requested after its caller is interrupted", function* () {
    let interrupted = false
    const get = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
    const { calls } = yield* FakeService.make([FakeService.success], {
      tokens: FakeService.tokens(() => get)
    })
    const fiber = yield* Effect.fork(calls.write(FakeService.calls.write))
    yield* TestClock.adjust(1)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(interrupted)
  })
})

describe("an error of the HTTP client, which may occur after the request was sent", () => {
  // A dispatcher that follows redirects reports a loop as an invalid argument, after the response.
  for (const reaction of [{ drop: "UND_ERR_INVALID_ARG" }, { fails: "Encode" }] as const) {
    Test.effect(`leaves the outcome of a write unknown: ${JSON.stringify(reaction)}`, function* () {
      const { calls } = yield* FakeService.make([reaction], { retry: { attempts: 1 } })
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert.strictEqual(error._tag, "OutcomeUnknown")
    })
  }
})

Test.effect("the response of an HTTP client that fails on error statuses is read", function* () {
  const { calls, received } = yield* FakeService.make([FakeService.failure(422)], {
    through: HttpClient.filterStatusOk
  })
  const error = yield* Effect.flip(calls.write(FakeService.calls.write))
  assert.strictEqual(error._tag, "UnprocessableError")
  assert.strictEqual(received.length, 1)
})

describe("time", () => {
  const pauses = (received: ReadonlyArray<FakeService.Received>) =>
    received.slice(1).map(({ atMillis }, i) => atMillis - (received[i]?.atMillis ?? 0))

  for (const [how, header, waitMillis] of [
    ["in seconds", "7", 7000],
    ["as a date", "Thu, 01 Jan 1970 00:00:20 GMT", 20_000]
  ] as const) {
    Test.effect(`a retry waits for Retry-After ${how}`, function* () {
      const { calls, received } = yield* FakeService.make([
        FakeService.failure(429, { "retry-after": header }),
        FakeService.success
      ])
      yield* Elapsed.toTheEnd(calls.read(FakeService.calls.read))
      assert.isAtLeast(pauses(received)[0] ?? 0, waitMillis)
      assert.isAtMost(pauses(received)[0] ?? 0, waitMillis + 250)
    })
  }

  Test.effect("a Retry-After beyond the deadline ends the call immediately", function* () {
    const { calls, received } = yield* FakeService.make([
      FakeService.failure(429, { "retry-after": "3600" })
    ])
    const error = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert(error._tag === "RateLimitError")
    assert.strictEqual(error.retryAfterMillis, 3_600_000)
    assert.strictEqual(received.length, 1)
  })

  Test.effect("the deadline limits a call whose attempts have no response", function* () {
    const { calls, received } = yield* FakeService.make(["silence"], {
      retry: { attemptTimeout: "10 seconds", deadline: "25 seconds", base: "1 milli" }
    })
    const write = Effect.flip(calls.write(FakeService.calls.write))
    const error = yield* Elapsed.during("25 seconds", write)
    assert(error._tag === "OutcomeUnknown")
    assert.strictEqual(error.attempts, received.length)
    assert.strictEqual(received.length, 3)
  })

  Test.effect("the range of each back-off is twice that of the previous one", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(503)])
    const read = calls.read(FakeService.calls.read)
    yield* Elapsed.toTheEnd(Effect.either(Effect.withRandom(read, Random.fixed([0.5]))))
    assert.deepStrictEqual(pauses(received), [125, 250, 500, 1000])
  })

  Test.effect("the attempt timeout does not include the time of the token", function* () {
    const { calls } = yield* FakeService.make(
      [() => Effect.delay(Effect.succeed(FakeService.success), "9900 millis")],
      { retry: { attempts: 1, attemptTimeout: "10 seconds" }, tokens: slow("9900 millis") }
    )
    yield* Elapsed.during("30 seconds", calls.write(FakeService.calls.write))
  })

  Test.effect("the attempt timeout limits an attempt, however long its token took", function* () {
    const { calls } = yield* FakeService.make(["silence"], {
      retry: { attempts: 1, attemptTimeout: "10 seconds" },
      tokens: slow("4 seconds")
    })
    const call = yield* Effect.fork(Effect.flip(calls.write(FakeService.calls.write)))
    yield* TestClock.adjust("13999 millis")
    assert.isTrue(Option.isNone(yield* Fiber.poll(call)))
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(call))._tag, "OutcomeUnknown")
  })

  Test.effect("an attempt has its full timeout, even if the clock was set forward", function* () {
    const { ahead, clock } = yield* SettableClock.make
    const { calls } = yield* FakeService.make(["silence"], {
      retry: { attempts: 1, attemptTimeout: "10 seconds", deadline: "2 hours" },
      tokens: anHourLater(ahead)
    })
    const write = Effect.withClock(calls.write(FakeService.calls.write), clock)
    const error = yield* Elapsed.during("10 seconds", Effect.flip(write))
    assert.strictEqual(error._tag, "OutcomeUnknown")
  })

  Test.effect("a write is not sent if its deadline passed while it got its token", function* () {
    const { ahead, clock } = yield* SettableClock.make
    const { calls, received } = yield* FakeService.make([FakeService.success], {
      tokens: anHourLater(ahead)
    })
    const write = Effect.withClock(calls.write(FakeService.calls.write), clock)
    assert.strictEqual((yield* Effect.flip(write))._tag, "TokenUnavailableError")
    assert.lengthOf(received, 0)
  })

  Test.effect("a back-off ends by the deadline, even if the clock was set back", function* () {
    const { ahead, clock } = yield* SettableClock.make
    const { calls, received } = yield* FakeService.make([
      () =>
        Effect.sync(() => {
          ahead.millis = -86_400_000
          return FakeService.failure(503, { "retry-after": "7200" })
        }),
      FakeService.success
    ])
    const read = Effect.withClock(calls.read(FakeService.calls.read), clock)
    const error = yield* Elapsed.during("3 minutes", Effect.flip(read))
    assert.strictEqual(error._tag, "ServerError")
    assert.strictEqual(received.length, 1)
  })

  Test.effect("a call that wakes after its deadline fails with its last error", function* () {
    const { ahead, clock } = yield* SettableClock.make
    const { calls, received } = yield* FakeService.make([
      FakeService.failure(503, { "retry-after": "60" }),
      FakeService.success
    ])
    const read = Effect.withClock(calls.read(FakeService.calls.read), clock)
    const call = yield* Effect.fork(Effect.flip(read))
    yield* TestClock.adjust("30 seconds")
    // As if the machine had slept.
    ahead.millis = 3_600_000
    yield* TestClock.adjust("31 seconds")
    const error = yield* Fiber.join(call)
    assert.strictEqual(received.length, 1)
    assert.strictEqual(error._tag, "ServerError")
    assert.notInclude(error.message, "token")
  })

  Test.effect("a call may have a shorter deadline than the policy", function* () {
    const { calls } = yield* FakeService.make(["silence"])
    for (const call of both(calls, { timeout: 2000 })) {
      const fiber = yield* Effect.fork(Effect.exit(call))
      yield* TestClock.adjust("1999 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
      yield* TestClock.adjust("1 millis")
      assert.isTrue(Option.isSome(yield* Fiber.poll(fiber)))
    }
  })

  Test.effect("no attempt of a write starts when too little time is left", function* () {
    const { calls, received } = yield* FakeService.make(["silence"], {
      retry: { deadline: "10 seconds" },
      tokens: slow("9900 millis")
    })
    const write = Effect.flip(calls.write(FakeService.calls.write))
    const error = yield* Elapsed.during("10 seconds", write)
    assert.strictEqual(error._tag, "TokenUnavailableError")
    assert.strictEqual(received.length, 0)
  })

  Test.effect("a retry beyond the deadline neither waits nor uses the budget", function* () {
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
    yield* Elapsed.toTheEnd(calls.write(FakeService.calls.write))
    assert.strictEqual(received.length, 3)
  })

  Test.effect("the error of an attempt that times out contains the timeout", function* () {
    const { calls } = yield* FakeService.make(["silence"], {
      retry: { attempts: 1, attemptTimeout: "30 seconds", deadline: "10 seconds" },
      tokens: slow("4 seconds")
    })
    const read = Effect.flip(calls.read(FakeService.calls.read))
    const error = yield* Elapsed.during("10 seconds", read)
    assert(error._tag === "TimeoutError")
    assert.strictEqual(error.afterMillis, 6000)
  })

  it.prop(
    "the back-off lies between zero and its ceiling",
    [
      FastCheck.integer({ min: 1, max: 2000 }),
      FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      FastCheck.nat(5000)
    ],
    ([attempt, chance, base]) => {
      const wait = RetryPolicy.backoff(
        { ...RetryPolicy.defaults, base },
        attempt,
        chance,
        undefined
      )
      assert.isAtLeast(wait, 0)
      assert.isAtMost(wait, Duration.toMillis(RetryPolicy.defaults.cap))
      if (attempt <= 10) assert.isAtMost(wait, base * 2 ** (attempt - 1))
    }
  )

  it("without a base there is no back-off, however many attempts there were", () => {
    const policy = { ...RetryPolicy.defaults, base: 0 }
    for (const attempt of [1, 1024, 1025, 5000]) {
      assert.strictEqual(RetryPolicy.backoff(policy, attempt, 0.5, undefined), 0)
    }
  })
})

const { token } = FakeService

const hush = () => {
  throw new Error("hush")
}

/** A source whose token takes this long. */
const slow = (duration: Duration.DurationInput) =>
  FakeService.tokens(() => Effect.delay(Effect.succeed(token), duration))

/** A source during whose work the clock is set forward. */
const anHourLater = (ahead: SettableClock.Ahead) =>
  FakeService.tokens(() =>
    Effect.sync(() => {
      ahead.millis = 3_600_000
      return token
    })
  )

class Name extends Context.Tag("test/Name")<Name, string>() {}

const noToken = new Errors.TokenUnavailableError({ operation: "Token.obtain", message: "none" })

describe("the retry budget", () => {
  Test.effect("ends a call whose retry would be too late, and explains it", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(503)], {
      retry: { budget: 0 }
    })
    const read = yield* Effect.flip(calls.read(FakeService.calls.read))
    assert(read._tag === "ServerError")
    assert.include(read.message, "retry budget")
    const write = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert(write._tag === "OutcomeUnknown")
    assert.include(write.message, "retry budget")
    assert.strictEqual(received.length, 2)
  })

  Test.effect("is not in the message of a call that made all of its attempts", function* () {
    const { calls } = yield* FakeService.make([FakeService.failure(503)])
    const error = yield* Effect.flip(Elapsed.toTheEnd(calls.read(FakeService.calls.read)))
    assert.notInclude(error.message, "budget")
  })

  Test.effect("does not count the attempt with a renewed token", function* () {
    const { calls, received } = yield* FakeService.make(
      [FakeService.failure(401), FakeService.success],
      { retry: { budget: 0 } }
    )
    yield* calls.read(FakeService.calls.read)
    assert.strictEqual(received.length, 2)
  })
})
