import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as BearerTokens from "@manilla/core/BearerTokens"
import type { Steps } from "@manilla/test-support/Steps"
import * as Test from "@manilla/test-support/Test"
import * as Token from "@manilla/token/Token"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import type * as TestServices from "effect/TestServices"
import * as AccountGateway from "./utils/AccountGateway.js"

const { secret } = AccountGateway

/** A token source over an account gateway. */
const make = (answers?: (n: number) => AccountGateway.Answer, more: Partial<Token.Options> = {}) =>
  Effect.gen(function* () {
    const { client, requests } = AccountGateway.make(answers)
    const tokens = yield* Token.make({ ...AccountGateway.options, ...more }).pipe(
      Effect.provideService(HttpClient.HttpClient, client)
    )
    return { requests, tokens }
  })

/** Defines tests whose pauses have this part of their length, so that request counts are deterministic. */
const paused =
  (part: number) => (title: string, steps: () => Steps<Scope.Scope | TestServices.TestServices>) =>
    it.scoped(title, () => Effect.withRandom(Effect.gen(steps), Random.fixed([part])))
const atHalf = paused(0.5)
const atMost = paused(0.999)

const ask = (tokens: BearerTokens.Service, limitMillis = Infinity) =>
  Effect.suspend(() => tokens.get(limitMillis))

const text = (token: BearerTokens.BearerToken) => Redacted.value(token.value)

describe("a token", () => {
  Test.effect("that is held is returned without waiting", function* () {
    const { tokens } = yield* make()
    const token = yield* Elapsed.during(10, tokens.get(Infinity))
    assert.deepStrictEqual(tokens.get(Infinity), Exit.succeed(token))
  })

  Test.effect("is requested with the credentials, and has scopes and environment", function* () {
    const { requests, tokens } = yield* make()
    const token = yield* Elapsed.during(10, tokens.get(Infinity))
    assert.strictEqual(text(token), "token-1")
    assert.deepStrictEqual(token.scopes, ["payments.read", "payments.write"])
    assert.strictEqual(token.environment, "SANDBOX")
    assert.deepStrictEqual(requests[0]?.body, { client_id: "app-42", client_secret: secret })
  })

  Test.effect("is requested once by 1,000 callers, and reused", function* () {
    const { requests, tokens } = yield* make()
    const all = yield* Elapsed.during(
      10,
      Effect.replicateEffect(ask(tokens), 1_000, { concurrency: "unbounded" })
    )
    assert.strictEqual(requests.length, 1)
    assert.deepStrictEqual(new Set(all.map(text)), new Set(["token-1"]))
    yield* tokens.get(Infinity)
    assert.strictEqual(requests.length, 1)
  })

  Test.effect("reaches the other callers when the requesting caller is interrupted", function* () {
    const { requests, tokens } = yield* make()
    const first = yield* Effect.fork(tokens.get(Infinity))
    const second = yield* Effect.fork(tokens.get(Infinity))
    yield* TestClock.adjust(5)
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust(5)
    assert.strictEqual(text(yield* Fiber.join(second)), "token-1")
    assert.strictEqual(requests.length, 1)
  })
})

describe("the scope", () => {
  for (const [when, millis] of [
    ["during the request, which it interrupts", 5],
    ["after it", 10]
  ] as const) {
    Test.effect(`has no token when it closes ${when}`, function* () {
      const scope = yield* Scope.make()
      const { requests, tokens } = yield* Scope.extend(make(), scope)
      const first = yield* Effect.fork(Effect.either(tokens.get(Infinity)))
      yield* TestClock.adjust(millis)
      yield* Elapsed.during(1, Scope.close(scope, Exit.void))
      const token = yield* Elapsed.during(1, first)
      assert.strictEqual(Either.isRight(token), millis === 10)
      if (Either.isLeft(token)) assert.strictEqual(token.left._tag, "TokenUnavailableError")
      assert.strictEqual((yield* Effect.flip(tokens.get(Infinity)))._tag, "TokenUnavailableError")
      assert.strictEqual(requests.length, 1)
    })
  }
})

describe("expiry", () => {
  Test.effect("is anticipated: the old token is used during the renewal", function* () {
    const { requests, tokens } = yield* make()
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("54 minutes")
    assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
    assert.strictEqual(requests.length, 1)
    yield* TestClock.adjust("2 minutes")
    const served = yield* Effect.replicateEffect(ask(tokens), 100)
    assert.deepStrictEqual(new Set(served.map(text)), new Set(["token-1"]))
    yield* TestClock.adjust(10)
    assert.strictEqual(text(yield* tokens.get(Infinity)), "token-2")
    assert.strictEqual(requests.length, 2)
  })

  Test.effect("of a one-minute token is anticipated in its last tenth, not before", function* () {
    const { requests, tokens } = yield* make(() => ({ data: { expires_in: 60 } }))
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("53 seconds")
    assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
    yield* TestClock.adjust(10)
    assert.strictEqual(requests.length, 1)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
    yield* TestClock.adjust(10)
    assert.strictEqual(requests.length, 2)
  })

  Test.effect("ends the use of a token", function* () {
    const { tokens } = yield* make()
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("61 minutes")
    assert.strictEqual(text(yield* Elapsed.during(10, tokens.get(Infinity))), "token-2")
  })

  Test.effect("counts from the token request, and the token is not used beyond it", function* () {
    const { tokens } = yield* make((n) => ({
      data: { expires_in: 60 },
      delayMillis: n === 1 ? 20_000 : 5000
    }))
    yield* Elapsed.during(20_000, tokens.get(Infinity))
    yield* TestClock.adjust("39999 millis")
    assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
    yield* TestClock.adjust(1)
    assert.strictEqual(text(yield* Elapsed.during(5000, tokens.get(Infinity))), "token-2")
  })

  Test.effect("defaults to an hour", function* () {
    const { requests, tokens } = yield* make(() => ({ data: { expires_in: undefined } }))
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("54 minutes")
    yield* tokens.get(Infinity)
    assert.strictEqual(requests.length, 1)
    yield* TestClock.adjust("6 minutes")
    assert.strictEqual(text(yield* Elapsed.during(10, tokens.get(Infinity))), "token-2")
  })

  atHalf("a failed renewal keeps the old token, and is not retried immediately", function* () {
    const { requests, tokens } = yield* make((n) => (n === 1 ? {} : { status: 403 }))
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("56 minutes")
    for (let i = 0; i < 100; i++) {
      assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
      yield* TestClock.adjust(10)
    }
    // The renewal failed immediately and after half a second. The next is due in a second.
    assert.strictEqual(requests.length, 3)
  })
})

describe("a rejected token", () => {
  Test.effect("is renewed once for many rejected callers", function* () {
    const { requests, tokens } = yield* make()
    const old = yield* Elapsed.during(10, tokens.get(Infinity))
    const renewed = yield* Elapsed.during(
      10,
      Effect.replicateEffect(Effect.zipRight(tokens.reject(old), ask(tokens)), 1000, {
        concurrency: "unbounded"
      })
    )
    assert.strictEqual(requests.length, 2)
    assert.deepStrictEqual(new Set(renewed.map(text)), new Set(["token-2"]))
  })

  Test.effect("does not invalidate its successor", function* () {
    const { requests, tokens } = yield* make()
    const old = yield* Elapsed.during(10, tokens.get(Infinity))
    yield* tokens.reject(old)
    yield* Elapsed.during(10, tokens.get(Infinity))
    yield* tokens.reject(old)
    assert.strictEqual(text(yield* Elapsed.during(10_000, tokens.get(Infinity))), "token-2")
    assert.strictEqual(requests.length, 2)
  })

  atHalf("does not refuse callers while its successor is under way", function* () {
    const { tokens } = yield* make(() => ({ data: { expires_in: 5 } }))
    yield* Elapsed.during(10, Effect.flatMap(ask(tokens), tokens.reject))
    const second = yield* Elapsed.during(10, tokens.get(Infinity))
    yield* TestClock.adjust("4600 millis")
    assert.strictEqual(yield* tokens.get(Infinity), second)
    yield* tokens.reject(second)
    assert.strictEqual(text(yield* Elapsed.during(10, ask(tokens, 100))), "token-3")
  })
})

describe("a failure", () => {
  Test.effect("reaches every waiting caller, and is not cached", function* () {
    const { requests, tokens } = yield* make((n) => (n === 1 ? { status: 401 } : {}))
    const errors = yield* Elapsed.during(
      10,
      Effect.replicateEffect(Effect.flip(ask(tokens)), 100, { concurrency: "unbounded" })
    )
    assert.strictEqual(requests.length, 1)
    for (const error of errors) assert.strictEqual(error.cause?._tag, "UnauthorizedError")
    assert.notInclude(errors[0]?.message, secret)
    assert.strictEqual(text(yield* Elapsed.during(2000, tokens.get(Infinity))), "token-2")
  })

  Test.effect("does not delay callers when the clock is set back", function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 31))
    const { tokens } = yield* make((n) => (n === 1 ? { status: 401 } : {}))
    yield* Elapsed.during(10, Effect.flip(tokens.get(Infinity)))
    yield* TestClock.setTime(Date.UTC(2026, 0, 30))
    assert.strictEqual(text(yield* Elapsed.during(2000, tokens.get(Infinity))), "token-2")
  })

  Test.effect("is forgotten after the next success", function* () {
    const fails = new Set([1, 2, 3, 4, 5, 6, 8])
    const { requests, tokens } = yield* make((n) => (fails.has(n) ? { status: 401 } : {}))
    for (let n = 1; n <= 6; n++) yield* Elapsed.during(60_000, Effect.flip(tokens.get(Infinity)))
    const token = yield* Elapsed.during(60_000, tokens.get(Infinity))
    yield* tokens.reject(token)
    yield* Elapsed.during(60_000, Effect.zipRight(Effect.flip(ask(tokens)), ask(tokens)))
    // The delay is that of a first failure, not of the seventh.
    const [failed = 0, next = 0] = requests.slice(7).map(({ atMillis }) => atMillis)
    assert.isAtMost(next - failed, 2000)
  })

  for (const [what, last, answers] of [
    [
      "from a response that may belong to another request",
      2,
      (n: number) => (n < 2 ? { data: { access_token: undefined, id: "another's" } } : {})
    ],
    ["of the network", 3, (n: number) => (n < 3 ? { status: 503 } : {})]
  ] as const) {
    Test.effect(`${what} is retried within one token request`, function* () {
      const { requests, tokens } = yield* make(answers)
      const token = yield* Elapsed.during(10_000, tokens.get(Infinity))
      assert.strictEqual(text(token), `token-${last}`)
      assert.strictEqual(requests.length, last)
    })
  }
})

describe("the layer", () => {
  const build = (entries: ReadonlyArray<readonly [string, string]>) =>
    Layer.build(
      Token.layerConfig().pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, AccountGateway.make().client)),
        Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(entries))))
      )
    )
  const complete = [
    ["MANILLA_AUTH_URL", "https://accounts.invalid/api/v1"],
    ["MANILLA_CLIENT_ID", "app-42"],
    ["MANILLA_CLIENT_SECRET", secret]
  ] as const

  Test.effect("reads the configuration", function* () {
    const context = yield* build(complete)
    const tokens = yield* Effect.provide(BearerTokens.BearerTokens, context)
    assert.strictEqual(text(yield* Elapsed.during(10, tokens.get(Infinity))), "token-1")
  })

  for (const [name, value, says] of [
    ["MANILLA_AUTH_URL", "http://accounts.invalid/api/v1", "https"],
    ["MANILLA_ENVIRONMENT", "PRODUCTION", "SANDBOX"],
    ["MANILLA_CLIENT_ID", "", "MANILLA_CLIENT_ID"]
  ] as const) {
    Test.effect(`refuses ${name}=${value}`, function* () {
      const error = yield* Effect.flip(build([...complete, [name, value]]))
      assert.include(String(error), says)
      assert.notInclude(String(error), secret)
    })
  }
})

for (const [what, answer, options, first] of [
  ["failures", { status: 401 }, {}, []],
  [
    "tokens for another environment",
    { data: { environment: "LIVE" } },
    { environment: "SANDBOX" },
    []
  ],
  ["tokens that are rejected on first use", {}, {}, [0]]
] as const) {
  atHalf(`${what} are followed by growing delays, up to 30 seconds`, function* () {
    const { requests, tokens } = yield* make(() => answer, options)
    const asking = Effect.ignore(Effect.flatMap(ask(tokens), tokens.reject))
    yield* Elapsed.during(60_000, Effect.raceFirst(Effect.forever(asking), Effect.sleep(60_000)))
    // Each request takes 10 ms.
    const delays = requests
      .slice(1)
      .map(({ atMillis }, i) => atMillis - (requests[i]?.atMillis ?? 0) - 10)
    const half = [500, 1000, 2000, 4000, 8000, 15_000, 15_000]
    assert.deepStrictEqual(delays, [...first, ...half])
  })
}

for (const [how, use, wait] of [
  ["used for a while", "30 seconds", 0],
  ["used until its renewal", "56 minutes", 1000]
] as const) {
  atHalf(`tokens rejected at once add no delay after a token that was ${how}`, function* () {
    const { requests, tokens } = yield* make()
    const reject = Effect.flatMap(ask(tokens), tokens.reject)
    yield* Elapsed.during(1000, Effect.repeatN(reject, 1))
    yield* Elapsed.during(60_000, tokens.get(Infinity))
    yield* TestClock.adjust(use)
    yield* tokens.get(Infinity)
    yield* TestClock.adjust(wait)
    yield* reject
    const asked = requests.length
    yield* Elapsed.during(100, tokens.get(Infinity))
    assert.strictEqual(requests.length, asked + 1)
  })
}

describe("the options", () => {
  for (const [field, rule, more] of [
    ["clientId", "must be text that is not empty", { clientId: "" }],
    ["clientId", "must be text that is not empty", { clientId: null as never }],
    ["clientSecret", "must be text that is not empty", { clientSecret: Redacted.make("") }],
    [
      "clientSecret",
      "must be text that is not empty",
      { clientSecret: Redacted.make(undefined as never) }
    ],
    ["retry.attempts", "must be", { retry: { attempts: 0 } }]
  ] as const) {
    Test.effect(`refuse an invalid ${field}`, function* () {
      const error = yield* Effect.flip(make(undefined, more))
      assert.strictEqual(error.field, field)
      assert.include(error.message, `${field} ${rule}`)
    })
  }

  Test.effect("limit the size of the response", function* () {
    const long = () => ({ data: { token_type: "x".repeat(100_000) } })
    const { tokens: refused } = yield* make(long)
    const error = yield* Effect.flip(Elapsed.during(60_000, refused.get(Infinity)))
    assert.include(error.message, "the body exceeds the gateway's limit")
    const { tokens: larger } = yield* make(long, { bodyLimit: 200_000 })
    assert.match(text(yield* Elapsed.during(10, larger.get(Infinity))), /^token-/)
  })
})

describe("an outage", () => {
  /** Fails until a pause of 30 seconds begins. */
  const suffer = (tokens: BearerTokens.Service) =>
    Effect.gen(function* () {
      for (let n = 1; n <= 7; n++) yield* Elapsed.during(30_000, Effect.flip(ask(tokens)))
      yield* Elapsed.during(10, Effect.flip(ask(tokens)))
    }).pipe(Effect.withRandom(Random.fixed([0.999])))

  Test.effect("does not use up a caller's deadline, and tells when a request is due", function* () {
    const { requests, tokens } = yield* make(() => ({ status: 403 }))
    yield* suffer(tokens)
    const asked = requests.length
    yield* TestClock.adjust(400)
    const error = yield* Effect.flip(ask(tokens, 10_000))
    assert.strictEqual(error.cause?._tag, "ForbiddenError")
    assert.include(error.message, "The next token request is due in 600 ms.")
    assert.strictEqual(requests.length, asked)
  })

  Test.effect("does not fail callers with short deadlines after its end", function* () {
    let isOver = false
    const { tokens } = yield* make(() => (isOver ? {} : { status: 403 }))
    yield* suffer(tokens)
    isOver = true
    yield* TestClock.adjust("1 second")
    const [short, long] = yield* Elapsed.during(
      1000,
      Effect.all([ask(tokens, 2000), ask(tokens, 60_000)], { concurrency: 2 })
    )
    assert.strictEqual(short, long)
  })

  atMost("gets one request a second from callers with short deadlines", function* () {
    const { requests, tokens } = yield* make(() => ({ status: 403 }))
    yield* suffer(tokens)
    const asked = requests.length
    const asking = Effect.forever(Effect.zipRight(Effect.ignore(ask(tokens, 50)), Effect.sleep(70)))
    yield* Elapsed.during(
      5000,
      Effect.raceFirst(
        Effect.replicateEffect(asking, 5, { concurrency: "unbounded" }),
        Effect.sleep(5000)
      )
    )
    assert.isAtLeast(requests.length - asked, 4)
    assert.isAtMost(requests.length - asked, 5)
  })

  atHalf("ends for a caller whose time ends before the pause of another caller", function* () {
    const { tokens } = yield* make(() => ({ status: 403 }))
    for (let n = 1; n <= 3; n++) yield* Elapsed.during(30_000, Effect.flip(ask(tokens)))
    // It is followed by a pause of 4 seconds.
    yield* Elapsed.during(10, Effect.flip(ask(tokens)))
    const waiting = yield* Effect.fork(Effect.flip(ask(tokens, 8200)))
    yield* TestClock.adjust("1500 millis")
    // It is followed by a pause of 8 seconds.
    yield* Elapsed.during(10, Effect.flip(ask(tokens, 100)))
    yield* TestClock.adjust("6690 millis")
    const ended = yield* Fiber.poll(waiting)
    assert.isTrue(Option.isSome(ended))
  })

  atMost("that callers with short deadlines see does not fail those who can wait", function* () {
    let isOver = false
    const { tokens } = yield* make(() => (isOver ? {} : { status: 403 }))
    yield* suffer(tokens)
    const patient = yield* Effect.fork(ask(tokens, 180_000))
    for (let n = 0; n < 20; n++) {
      yield* TestClock.adjust("1500 millis")
      yield* Elapsed.during(10, Effect.flip(ask(tokens, 100)))
    }
    assert.isTrue(Option.isNone(yield* Fiber.poll(patient)))
    isOver = true
    yield* TestClock.adjust("1500 millis")
    const token = yield* Elapsed.during(10, ask(tokens, 100))
    assert.strictEqual(yield* Elapsed.during(1000, Fiber.join(patient)), token)
  })
})

describe("a service that rejects every token", () => {
  atMost("is named, with the time of the next token request", function* () {
    const { tokens } = yield* make()
    const reject = Effect.flatMap(ask(tokens), tokens.reject)
    yield* Elapsed.during(60_000, Effect.repeatN(reject, 5))
    yield* tokens.reject(yield* Elapsed.during(10, ask(tokens)))
    const error = yield* Effect.flip(ask(tokens, 10_000))
    assert.isUndefined(error.cause)
    assert.include(error.message, "The service rejected the last 7 tokens")
    assert.include(error.message, "The next token request is due in 1000 ms.")
  })
})

describe("a token response", () => {
  Test.effect("with secrets and invalid scopes keeps only the valid scopes", function* () {
    const long = "x".repeat(100_000)
    const { tokens } = yield* make(
      () => ({
        data: {
          scope: `payments.read ${secret} a${secret} \u001b[31mred new\nline +2290161234567 ${long}`
        }
      }),
      { bodyLimit: 1_000_000 }
    )
    assert.deepStrictEqual((yield* Elapsed.during(10, tokens.get(Infinity))).scopes, [
      "payments.read"
    ])
  })

  Test.effect("for an unknown environment is not quoted in the error", function* () {
    const { tokens } = yield* make(
      (n) => ({ data: { environment: n === 1 ? `${secret}\nLIVE` : "LIVE" } }),
      { environment: "SANDBOX" }
    )
    const strange = yield* Effect.flip(Elapsed.during(10, tokens.get(Infinity)))
    assert.notInclude(strange.message, secret)
    assert.notInclude(strange.message, "\n")
    const known = yield* Effect.flip(Elapsed.during(60_000, tokens.get(Infinity)))
    assert.strictEqual(known._tag, "TokenUnavailableError")
    assert.include(known.message, "SANDBOX")
    assert.include(known.message, "They are for LIVE.")
  })
})
