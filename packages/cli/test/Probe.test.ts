/** The limits of the probe, and its lessons about keys. `prove/Probe.test.ts` runs all of it on a sandbox. */
import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Elapsed from "@manilla/test-support/Elapsed"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as learn from "../src/internal/probe/learn.js"
import type * as wire from "../src/internal/probe/wire.js"
import { manilla, tokenFor, test } from "./utils/manilla.js"

const onlyTokens = Effect.gen(function* () {
  const { exchanges } = yield* Sandbox.Sandbox
  const operations = (yield* exchanges).map(({ operation }) => operation)
  return operations.every(
    (operation) => operation === "Token.obtain" || operation === "Catalogue.list"
  )
})

for (const environment of ["LIVE", "ANOTHER"]) {
  test(`the probe refuses credentials for ${environment}`, function* () {
    const { faults } = yield* Sandbox.Sandbox
    const body = tokenFor(environment)
    yield* faults.add(Fault.body(body, { operation: "Token.obtain", count: "always" }))
    const changes = { MANILLA_ENVIRONMENT: undefined }
    const { code, err } = yield* manilla(["probe", "--phone", phone, "--yes"], changes)
    assert.strictEqual(code, 2)
    assert.include(err, "The probe runs in SANDBOX only.")
    assert.isTrue(yield* onlyTokens)
  })
}

test("the probe learns nothing from a service that refuses its payment", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.status(422, { operation: "Payments.create", count: "always" }))
  const { code, err, out } = yield* manilla(["probe", "--phone", phone, "--yes"])
  assert.strictEqual(code, 1)
  assert.match(err, /The service refuses the payment of the probe: 422.*another --phone/)
  assert.notInclude(out, "success.create")
})

test("the probe says what it creates, and creates nothing without an answer", function* () {
  const { code, err } = yield* manilla(["probe", "--phone", phone])
  assert.strictEqual(code, 2)
  assert.match(err, /creates up to \d payments of 100 XOF and 2 payment links at http.*add --yes/)
  assert.isTrue(yield* onlyTokens)
})

/** The answer of a service to a key that it knows: an error status, the first answer, or that of a new request. */
type ToKnown = number | "replay" | "new"

interface Habits {
  readonly otherBody?: ToKnown
  readonly afterRefusal?: ToKnown
  readonly inFlight?: ToKnown
  /** The end of a key whose first request meets a rate limit. */
  readonly limits?: string
  /** How long a first and a second request take, if they are there at the same time. */
  readonly millis?: readonly [first: number, second: number]
}

/** A service with these habits, which knows payments only. */
const serviceWith = ({
  afterRefusal = "new",
  inFlight = "replay",
  limits,
  millis: [firstMillis, secondMillis] = [0, 0],
  otherBody = "replay"
}: Habits): wire.Send => {
  const known = new Map<string, wire.Answer>()
  const answer = (status: number, data: unknown = {}): wire.Answer => ({
    status,
    data,
    retryAfter: undefined
  })
  const toKnown = (key: string): ToKnown =>
    key.endsWith(":other-body") ? otherBody : key.endsWith(":in-flight") ? inFlight : afterRefusal
  const limited = new Set<string>()
  let made = 0
  const create = (key: string, body: unknown): wire.Answer => {
    if (limits !== undefined && key.endsWith(limits) && !limited.has(key)) {
      limited.add(key)
      return answer(429)
    }
    const before = known.get(key)
    const habit = before === undefined ? "new" : toKnown(key)
    if (typeof habit === "number") return answer(habit)
    if (before !== undefined && habit === "replay") return before
    const isRefused = JSON.stringify(body).includes("no_such_method")
    const payment = { id: `payment-${++made}`, status: "COMPLETED" }
    const given = isRefused ? answer(422) : answer(201, payment)
    known.set(key, given)
    return given
  }
  return ({ body, key, method, path }) =>
    Effect.suspend(() => {
      if (method === "GET" || key === undefined) {
        return Effect.succeed(answer(path.startsWith("/payments") ? 200 : 404))
      }
      const isSecond = known.has(key)
      const created = Effect.succeed(create(key, body))
      return key.endsWith(":in-flight")
        ? Effect.delay(created, isSecond ? secondMillis : firstMillis)
        : created
    })
}

/** The value that the probe learns of a service, by the path of its line. */
const learnedOf = (habits: Habits, path: string) =>
  learn
    .all({
      send: serviceWith(habits),
      run: "1",
      payment: {},
      refusals: [{}, { payment_method: "no_such_method" }],
      link: {}
    })
    .pipe(
      Effect.map((findings) => findings.find((finding) => finding.path === path)?.value),
      Effect.orDie
    )

describe("the probe learns of a service", () => {
  const cases: ReadonlyArray<readonly [Habits, string, unknown]> = [
    [{ otherBody: 422 }, "idempotency.other_body", 422],
    [{ otherBody: 409 }, "idempotency.other_body", 409],
    [{ otherBody: 303 }, "idempotency.other_body", 303],
    [{ otherBody: "replay" }, "idempotency.other_body", "replay"],
    [{ otherBody: "new" }, "idempotency.other_body", "new"],
    [{ limits: ":other-body" }, "idempotency.other_body", undefined],
    [{ afterRefusal: "replay" }, "idempotency.failures", "replay"],
    [{ afterRefusal: 409 }, "idempotency.failures", "replay"],
    [{ afterRefusal: "new" }, "idempotency.failures", "again"],
    [{ inFlight: 409, millis: [300, 0] }, "idempotency.in_flight", 409],
    [{ millis: [300, 0] }, "idempotency.in_flight", "replay"],
    [{ millis: [300, 280] }, "idempotency.in_flight", "wait"],
    [{ millis: [60, 0] }, "idempotency.in_flight", undefined],
    [{ millis: [0, 0] }, "idempotency.in_flight", undefined]
  ]
  for (const [habits, path, expected] of cases) {
    it.effect(`with ${JSON.stringify(habits)} as ${path}: ${expected}`, () =>
      Effect.map(Elapsed.toTheEnd(learnedOf(habits, path)), (value) =>
        assert.strictEqual(value, expected)
      )
    )
  }

  Test.effect("nothing of a second request that a busy machine sends late", function* () {
    const path = "idempotency.in_flight"
    const clock = yield* Effect.clock
    const sleep = (duration: Duration.Duration) => clock.sleep(Duration.max(duration, "400 millis"))
    const busy: Clock.Clock = Object.assign(Object.create(clock), { sleep })
    const probed = Effect.withClock(learnedOf({ millis: [300, 280] }, path), busy)
    assert.isUndefined(yield* Elapsed.toTheEnd(probed))
  })
})
