import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Token from "@manilla/token/Token"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"

const secret = "s3cr3t-of-the-vault"

interface Answer {
  readonly status?: number
  readonly data?: Record<string, unknown>
  readonly delayMillis?: number
}

/** An account gateway that issues `token-1`, `token-2`, …, or gives scripted responses. */
const accountGateway = (answers: (n: number) => Answer = () => ({})) => {
  const requests: Array<{ readonly atMillis: number; readonly body: unknown }> = []
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const text =
        request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      requests.push({ atMillis: yield* Clock.currentTimeMillis, body: JSON.parse(text) })
      const n = requests.length
      const { data, delayMillis = 10, status = 200 } = answers(n)
      yield* Effect.sleep(delayMillis)
      const body =
        status === 200
          ? {
              success: true,
              data: {
                access_token: `token-${n}`,
                expires_in: 3600,
                token_type: "Bearer",
                environment: "SANDBOX",
                scope: "payments.read payments.write",
                ...data
              },
              meta: { correlation_id: null }
            }
          : { success: false, data: { error: { code: "NO", message: `no ${secret}` } }, meta: {} }
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status }))
    })
  )
  return { client, requests }
}

const options = {
  authUrl: "https://accounts.invalid/api/v1",
  clientId: "app-42",
  clientSecret: Redacted.make(secret)
}

const make = (client: HttpClient.HttpClient, more: Partial<Token.Options> = {}) =>
  Token.make({ ...options, ...more }).pipe(Effect.provideService(HttpClient.HttpClient, client))

/** Fixes the jitter at half, so that request counts are deterministic. */
const halfPauses = Effect.withRandom(Random.fixed([0.5]))

const ask = (tokens: BearerTokens.Service, limitMillis = Infinity) =>
  Effect.suspend(() => tokens.get(limitMillis))

const text = (token: BearerTokens.BearerToken) => Redacted.value(token.value)

describe("a token", () => {
  it.scoped("that is held is returned without waiting", () =>
    Effect.gen(function* () {
      const { client } = accountGateway()
      const tokens = yield* make(client)
      const token = yield* Elapsed.during(10, tokens.get(Infinity))
      assert.deepStrictEqual(tokens.get(Infinity), Exit.succeed(token))
    })
  )

  it.scoped("is requested with the credentials, and has scopes and environment", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const token = yield* Elapsed.during(10, tokens.get(Infinity))
      assert.strictEqual(text(token), "token-1")
      assert.deepStrictEqual(token.scopes, ["payments.read", "payments.write"])
      assert.strictEqual(token.environment, "SANDBOX")
      assert.deepStrictEqual(requests[0]?.body, { client_id: "app-42", client_secret: secret })
    })
  )

  it.scoped("is requested once by 1,000 callers, and reused", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const all = yield* Elapsed.during(
        10,
        Effect.all(
          Array.from({ length: 1_000 }, () => tokens.get(Infinity)),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(requests.length, 1)
      assert.deepStrictEqual(new Set(all.map(text)), new Set(["token-1"]))
      yield* tokens.get(Infinity)
      assert.strictEqual(requests.length, 1)
    })
  )

  it.scoped("reaches the other callers when the requesting caller is interrupted", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const first = yield* Effect.fork(tokens.get(Infinity))
      const second = yield* Effect.fork(tokens.get(Infinity))
      yield* TestClock.adjust(5)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(5)
      assert.strictEqual(text(yield* Fiber.join(second)), "token-1")
      assert.strictEqual(requests.length, 1)
    })
  )
})

describe("the scope", () => {
  it.effect("drops the token and interrupts the request when it closes", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const scope = yield* Scope.make()
      const tokens = yield* Scope.extend(make(client), scope)
      const waiting = yield* Effect.fork(Effect.flip(tokens.get(Infinity)))
      yield* TestClock.adjust(5)
      yield* Elapsed.during(1, Scope.close(scope, Exit.void))
      assert.strictEqual((yield* Elapsed.during(1, waiting))._tag, "TokenUnavailableError")
      assert.strictEqual((yield* Effect.flip(tokens.get(Infinity)))._tag, "TokenUnavailableError")
      assert.strictEqual(requests.length, 1)
    })
  )
})

describe("expiry", () => {
  it.scoped("is anticipated: the old token is used during the renewal", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      yield* Elapsed.during(10, tokens.get(Infinity))
      yield* TestClock.adjust("54 minutes")
      assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust("2 minutes")
      const served = yield* Effect.all(Array.from({ length: 100 }, () => tokens.get(Infinity)))
      assert.deepStrictEqual(new Set(served.map(text)), new Set(["token-1"]))
      yield* TestClock.adjust(10)
      assert.strictEqual(text(yield* tokens.get(Infinity)), "token-2")
      assert.strictEqual(requests.length, 2)
    })
  )

  it.scoped("of a one-minute token is anticipated in its last tenth, not before", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway(() => ({ data: { expires_in: 60 } }))
      const tokens = yield* make(client)
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
  )

  it.scoped("ends the use of a token", () =>
    Effect.gen(function* () {
      const { client } = accountGateway()
      const tokens = yield* make(client)
      yield* Elapsed.during(10, tokens.get(Infinity))
      yield* TestClock.adjust("61 minutes")
      assert.strictEqual(text(yield* Elapsed.during(10, tokens.get(Infinity))), "token-2")
    })
  )

  it.scoped("counts from the token request, and the token is not used beyond it", () =>
    Effect.gen(function* () {
      const { client } = accountGateway((n) => ({
        data: { expires_in: 60 },
        delayMillis: n === 1 ? 20_000 : 5000
      }))
      const tokens = yield* make(client)
      yield* Elapsed.during(20_000, tokens.get(Infinity))
      yield* TestClock.adjust("39999 millis")
      assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
      yield* TestClock.adjust(1)
      assert.strictEqual(text(yield* Elapsed.during(5000, tokens.get(Infinity))), "token-2")
    })
  )

  it.scoped("defaults to an hour", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway(() => ({ data: { expires_in: undefined } }))
      const tokens = yield* make(client)
      yield* Elapsed.during(10, tokens.get(Infinity))
      yield* TestClock.adjust("54 minutes")
      yield* tokens.get(Infinity)
      assert.strictEqual(requests.length, 1)
    })
  )

  it.scoped("a failed renewal keeps the old token in use and is not retried immediately", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway((n) => (n === 1 ? {} : { status: 403 }))
      const tokens = yield* make(client)
      yield* Elapsed.during(10, tokens.get(Infinity))
      yield* TestClock.adjust("56 minutes")
      for (let i = 0; i < 100; i++) {
        assert.strictEqual(text(yield* tokens.get(Infinity)), "token-1")
        yield* TestClock.adjust(10)
      }
      // The renewal failed immediately and after half a second. The next is due in a second.
      assert.strictEqual(requests.length, 3)
    }).pipe(halfPauses)
  )
})

describe("a refused token", () => {
  it.scoped("is renewed once for many refused callers", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const old = yield* Elapsed.during(10, tokens.get(Infinity))
      const renewed = yield* Elapsed.during(
        10,
        Effect.all(
          Array.from({ length: 1000 }, () => Effect.zipRight(tokens.reject(old), ask(tokens))),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(requests.length, 2)
      assert.deepStrictEqual(new Set(renewed.map(text)), new Set(["token-2"]))
    })
  )

  it.scoped("does not invalidate its successor", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const old = yield* Elapsed.during(10, tokens.get(Infinity))
      yield* tokens.reject(old)
      yield* Elapsed.during(10, tokens.get(Infinity))
      yield* tokens.reject(old)
      assert.strictEqual(text(yield* Elapsed.during(10_000, tokens.get(Infinity))), "token-2")
      assert.strictEqual(requests.length, 2)
    })
  )
})

describe("a failure", () => {
  it.scoped("reaches every waiting caller, and is not cached", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway((n) => (n === 1 ? { status: 401 } : {}))
      const tokens = yield* make(client)
      const errors = yield* Elapsed.during(
        10,
        Effect.all(
          Array.from({ length: 100 }, () => Effect.flip(tokens.get(Infinity))),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(requests.length, 1)
      for (const error of errors) assert.strictEqual(error.cause?._tag, "UnauthorizedError")
      assert.notInclude(errors[0]?.message, secret)
      assert.strictEqual(text(yield* Elapsed.during(2000, tokens.get(Infinity))), "token-2")
    })
  )

  it.scoped("is followed by growing delays, up to 30 seconds", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway(() => ({ status: 401 }))
      const tokens = yield* make(client)
      const asking = Effect.forever(Effect.ignore(ask(tokens)))
      yield* Elapsed.during(150_000, Effect.raceFirst(asking, Effect.sleep(150_000)))
      assert.isAtLeast(requests.length, 12)
      assert.isAtMost(requests.length, 18)
    }).pipe(halfPauses)
  )

  it.scoped("does not delay callers when the clock is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 31))
      const { client } = accountGateway((n) => (n === 1 ? { status: 401 } : {}))
      const tokens = yield* make(client)
      yield* Elapsed.during(10, Effect.flip(tokens.get(Infinity)))
      yield* TestClock.setTime(Date.UTC(2026, 0, 30))
      assert.strictEqual(text(yield* Elapsed.during(2000, tokens.get(Infinity))), "token-2")
    })
  )

  it.scoped("is forgotten after the next success", () =>
    Effect.gen(function* () {
      const fails = new Set([1, 2, 3, 4, 5, 6, 8])
      const { client, requests } = accountGateway((n) => (fails.has(n) ? { status: 401 } : {}))
      const tokens = yield* make(client)
      for (let n = 1; n <= 6; n++) yield* Elapsed.during(60_000, Effect.flip(tokens.get(Infinity)))
      const token = yield* Elapsed.during(60_000, tokens.get(Infinity))
      yield* tokens.reject(token)
      yield* Elapsed.during(60_000, Effect.zipRight(Effect.flip(ask(tokens)), ask(tokens)))
      // The delay is that of a first failure, not of the seventh.
      const [failed = 0, next = 0] = requests.slice(7).map(({ atMillis }) => atMillis)
      assert.isAtMost(next - failed, 2000)
    })
  )

  it.scoped("from a response that may belong to another request is retried", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway((n) =>
        n === 1 ? { data: { access_token: undefined, id: "another's" } } : {}
      )
      const tokens = yield* make(client)
      assert.strictEqual(text(yield* Elapsed.during(10_000, tokens.get(Infinity))), "token-2")
      assert.strictEqual(requests.length, 2)
    })
  )

  it.scoped("of the network is retried within one token request", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway((n) => (n < 3 ? { status: 503 } : {}))
      const tokens = yield* make(client)
      assert.strictEqual(text(yield* Elapsed.during(10_000, tokens.get(Infinity))), "token-3")
      assert.strictEqual(requests.length, 3)
    })
  )
})

describe("the environment", () => {
  it.scoped("of the token must match the configuration", () =>
    Effect.gen(function* () {
      const { client } = accountGateway()
      const tokens = yield* make(client, { environment: "LIVE" })
      const error = yield* Elapsed.during(10, Effect.flip(tokens.get(Infinity)))
      assert.strictEqual(error._tag, "TokenUnavailableError")
      assert.include(error.message, "SANDBOX")
      assert.include(error.message, "LIVE")
    })
  )
})

describe("the layer", () => {
  const build = (entries: ReadonlyArray<readonly [string, string]>) =>
    Layer.build(
      Token.layerConfig().pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, accountGateway().client)),
        Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(entries))))
      )
    )
  const complete = [
    ["MANILLA_AUTH_URL", "https://accounts.invalid/api/v1"],
    ["MANILLA_CLIENT_ID", "app-42"],
    ["MANILLA_CLIENT_SECRET", secret]
  ] as const

  it.scoped("reads the configuration", () =>
    Effect.gen(function* () {
      const context = yield* build(complete)
      const tokens = yield* Effect.provide(BearerTokens.BearerTokens, context)
      assert.strictEqual(text(yield* Elapsed.during(10, tokens.get(Infinity))), "token-1")
    })
  )

  for (const [name, value, says] of [
    ["MANILLA_AUTH_URL", "http://accounts.invalid/api/v1", "https"],
    ["MANILLA_ENVIRONMENT", "PRODUCTION", "SANDBOX"],
    ["MANILLA_CLIENT_ID", "", "MANILLA_CLIENT_ID"]
  ] as const) {
    it.scoped(`refuses ${name}=${value}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(build([...complete, [name, value]]))
        assert.include(String(error), says)
        assert.notInclude(String(error), secret)
      })
    )
  }
})

describe("tokens that are refused on first use", () => {
  it.scoped("are requested with growing delays", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const refuse = Effect.flatMap(ask(tokens), tokens.reject)
      yield* Elapsed.during(
        150_000,
        Effect.raceFirst(Effect.forever(refuse), Effect.sleep(150_000))
      )
      // Half of 30 seconds, the longest delay.
      assert.isAtMost(requests.length, 20)
    }).pipe(halfPauses)
  )
})

describe("tokens that were refused soon after their issue", () => {
  it.scoped("add no delay after a token that was used for a while", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const refuse = Effect.flatMap(ask(tokens), tokens.reject)
      yield* Elapsed.during(1000, Effect.repeatN(refuse, 1))
      yield* Elapsed.during(
        60_000,
        Effect.flatMap(tokens.get(Infinity), () => Effect.sleep("30 seconds"))
      )
      yield* refuse
      const asked = requests.length
      yield* Elapsed.during(100, tokens.get(Infinity))
      assert.strictEqual(requests.length, asked + 1, "no delay after a rotation")
    }).pipe(halfPauses)
  )

  it.scoped("add no delay after a token that was used until its renewal", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway()
      const tokens = yield* make(client)
      const refuse = Effect.flatMap(ask(tokens), tokens.reject)
      yield* Elapsed.during(1000, Effect.repeatN(refuse, 1))
      yield* Elapsed.during(60_000, tokens.get(Infinity))
      yield* TestClock.adjust("56 minutes")
      yield* tokens.get(Infinity)
      yield* TestClock.adjust(1000)
      yield* refuse
      const asked = requests.length
      yield* Elapsed.during(100, tokens.get(Infinity))
      assert.strictEqual(requests.length, asked + 1)
    }).pipe(halfPauses)
  )
})

it.scoped("an invalid option of the retry policy is named", () =>
  Effect.gen(function* () {
    const { client } = accountGateway()
    const error = yield* Effect.flip(make(client, { retry: { attempts: 0 } }))
    assert.strictEqual(error.field, "retry.attempts")
  })
)

describe("the options", () => {
  for (const [field, more] of [
    ["clientId", { clientId: "" }],
    ["clientSecret", { clientSecret: Redacted.make("") }]
  ] as const) {
    it.scoped(`refuse an empty ${field}`, () =>
      Effect.gen(function* () {
        const { client, requests } = accountGateway()
        const error = yield* Effect.flip(make(client, more))
        assert.strictEqual(error.message, `${field} must not be empty`)
        assert.strictEqual(requests.length, 0)
      })
    )
  }

  it.scoped("limit the size of the response", () =>
    Effect.gen(function* () {
      const { client } = accountGateway(() => ({ data: { token_type: "x".repeat(100_000) } }))
      const refused = yield* make(client)
      const error = yield* Effect.flip(Elapsed.during(60_000, refused.get(Infinity)))
      assert.include(error.message, "the body exceeds the gateway's limit")
      const larger = yield* make(client, { bodyLimit: 200_000 })
      assert.strictEqual(
        text(yield* Elapsed.during(10, larger.get(Infinity))).slice(0, 6),
        "token-"
      )
    })
  )
})

describe("an outage", () => {
  /** Fails until a pause of 30 seconds begins. */
  const suffer = (tokens: BearerTokens.Service) =>
    Effect.gen(function* () {
      for (let n = 1; n <= 7; n++) yield* Elapsed.during(30_000, Effect.flip(ask(tokens)))
      yield* Elapsed.during(10, Effect.flip(ask(tokens)))
    }).pipe(Effect.withRandom(Random.fixed([0.999])))

  it.scoped("does not use up the deadline of a caller, and tells when a request is due", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway(() => ({ status: 403 }))
      const tokens = yield* make(client)
      yield* suffer(tokens)
      const asked = requests.length
      yield* TestClock.adjust(400)
      const error = yield* Effect.flip(ask(tokens, 10_000))
      assert.strictEqual(error.cause?._tag, "ForbiddenError")
      assert.include(error.message, "The next token request is due in 600 ms.")
      assert.strictEqual(requests.length, asked)
    })
  )

  it.scoped("does not fail callers with short deadlines after its end", () =>
    Effect.gen(function* () {
      let isOver = false
      const { client } = accountGateway(() => (isOver ? {} : { status: 403 }))
      const tokens = yield* make(client)
      yield* suffer(tokens)
      isOver = true
      yield* TestClock.adjust("1 second")
      const [short, long] = yield* Elapsed.during(
        1000,
        Effect.all([ask(tokens, 2000), ask(tokens, 60_000)], { concurrency: 2 })
      )
      assert.strictEqual(short, long)
    })
  )

  it.scoped("gets one request a second from callers with short deadlines", () =>
    Effect.gen(function* () {
      const { client, requests } = accountGateway(() => ({ status: 403 }))
      const tokens = yield* make(client)
      yield* suffer(tokens)
      const asked = requests.length
      const asking = Effect.forever(
        Effect.zipRight(Effect.ignore(ask(tokens, 50)), Effect.sleep(70))
      )
      yield* Elapsed.during(
        5000,
        Effect.raceFirst(
          Effect.all(
            Array.from({ length: 5 }, () => asking),
            { concurrency: "unbounded" }
          ),
          Effect.sleep(5000)
        )
      )
      assert.isAtLeast(requests.length - asked, 4)
      assert.isAtMost(requests.length - asked, 5)
    }).pipe(Effect.withRandom(Random.fixed([0.999])))
  )

  it.scoped("that callers with short deadlines see does not fail those who can wait", () =>
    Effect.gen(function* () {
      let isOver = false
      const { client } = accountGateway(() => (isOver ? {} : { status: 403 }))
      const tokens = yield* make(client)
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
    }).pipe(Effect.withRandom(Random.fixed([0.999])))
  )
})

describe("a service that refuses every token", () => {
  it.scoped("is named, with the time of the next token request", () =>
    Effect.gen(function* () {
      const { client } = accountGateway()
      const tokens = yield* make(client)
      const refuse = Effect.flatMap(ask(tokens), tokens.reject)
      yield* Elapsed.during(60_000, Effect.repeatN(refuse, 5))
      yield* tokens.reject(yield* Elapsed.during(10, ask(tokens)))
      const error = yield* Effect.flip(ask(tokens, 10_000))
      assert.isUndefined(error.cause)
      assert.include(error.message, "The service refused the last 7 tokens")
      assert.include(error.message, "The next token request is due in 1000 ms.")
    }).pipe(Effect.withRandom(Random.fixed([0.999])))
  )
})

describe("a token response", () => {
  it.scoped("with secrets and invalid scopes keeps only the valid scopes", () =>
    Effect.gen(function* () {
      const long = "x".repeat(100_000)
      const { client } = accountGateway(() => ({
        data: {
          scope: `payments.read ${secret} a${secret} \u001b[31mred new\nline +2290161234567 ${long}`
        }
      }))
      const tokens = yield* make(client, { bodyLimit: 1_000_000 })
      assert.deepStrictEqual((yield* Elapsed.during(10, tokens.get(Infinity))).scopes, [
        "payments.read"
      ])
    })
  )

  it.scoped("for an unknown environment is not quoted in the error", () =>
    Effect.gen(function* () {
      const { client } = accountGateway((n) => ({
        data: { environment: n === 1 ? `${secret}\nLIVE` : "LIVE" }
      }))
      const tokens = yield* make(client, { environment: "SANDBOX" })
      const strange = yield* Effect.flip(Elapsed.during(10, tokens.get(Infinity)))
      assert.notInclude(strange.message, secret)
      assert.notInclude(strange.message, "\n")
      const known = yield* Effect.flip(Elapsed.during(60_000, tokens.get(Infinity)))
      assert.include(known.message, "They are for LIVE.")
    })
  )
})
