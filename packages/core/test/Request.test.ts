/**
 * The encoding of requests, and their validation before they are sent.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

describe("a request", () => {
  Test.effect("has its key, its token and its JSON", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.success])
    yield* calls.write(FakeService.calls.write)
    const [{ body, headers, method, url }] = received as [FakeService.Received]
    assert.strictEqual(`${method} ${url}`, "POST https://service.invalid/api/v1/things")
    assert.deepStrictEqual(JSON.parse(body), FakeService.calls.write.payload)
    assert.strictEqual(headers["idempotency-key"], FakeService.key)
    assert.strictEqual(headers["authorization"], "Bearer token-0")
    assert.strictEqual(headers["accept"], "application/json")
    assert.strictEqual(headers["accept-encoding"], "identity")
    assert.strictEqual(headers["content-type"], "application/json")
  })

  for (const length of [1, 100, 101, 255]) {
    Test.effect(`has the whole key of ${length} characters`, function* () {
      const key = IdempotencyKey.make("k".repeat(length))
      const { calls, received } = yield* FakeService.make([FakeService.failure(503)], {
        retry: { attempts: 1 }
      })
      const error = yield* Effect.flip(
        calls.write({ ...FakeService.calls.write, headers: { "idempotency-key": key } })
      )
      assert.strictEqual(received[0]?.headers["idempotency-key"], key)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.key, key)
      assert.include(error.message, key)
    })
  }

  Test.effect("is encoded as JSON: own members only, also of class instances", function* () {
    class Thing {
      readonly name = "a thing"
      readonly #code = "1234"
      get otp_code() {
        return this.#code
      }
      toString() {
        return this.name
      }
    }
    const { calls, received } = yield* FakeService.make([FakeService.success])
    yield* calls.write({ ...FakeService.calls.write, payload: new Thing() })
    assert.strictEqual(received[0]?.body, `{"name":"a thing"}`)
  })

  Test.effect("from a class instance whose required member is a getter is refused", function* () {
    class Thing {
      get name() {
        return "a thing"
      }
    }
    const { calls, received } = yield* FakeService.make([FakeService.success])
    const error = yield* Effect.flip(
      calls.write({ ...FakeService.calls.write, payload: new Thing() })
    )
    assert(error._tag === "InvalidRequestError")
    assert.deepStrictEqual(error.issues, [{ field: "name", rule: "is required" }])
    assert.strictEqual(received.length, 0)
  })

  Test.effect("reads each of its members once", function* () {
    let reads = 0
    const { calls, received } = yield* FakeService.make([FakeService.success])
    const payload = {
      get name() {
        return ["a thing", "x".repeat(11)][reads++] ?? "a third"
      }
    }
    yield* calls.write({ ...FakeService.calls.write, payload })
    assert.strictEqual(received[0]?.body, `{"name":"a thing"}`)
    assert.strictEqual(reads, 1)
  })

  Test.effect("contains nothing from a polluted Object.prototype", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.success])
    const pollute = Effect.sync(() =>
      Object.defineProperty(Object.prototype, "otp_code", { value: "1234", configurable: true })
    )
    yield* Effect.acquireUseRelease(
      pollute,
      () => calls.write(FakeService.calls.write),
      () => Effect.sync(() => Reflect.deleteProperty(Object.prototype, "otp_code"))
    )
    assert.notProperty(JSON.parse(received[0]?.body ?? ""), "otp_code")
  })

  Test.effect("has no body and no key if it is a read", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.success])
    yield* calls.read(FakeService.calls.read)
    const [{ body, headers }] = received as [FakeService.Received]
    assert.strictEqual(body, "")
    assert.notProperty(headers, "idempotency-key")
    assert.notProperty(headers, "content-type")
    assert.strictEqual(headers["accept-encoding"], "identity")
  })
})

describe("an invalid request", () => {
  /** Sends a request that the types refuse, as JavaScript callers may. */
  const refused = (parts: Record<string, unknown>) =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      const error = yield* Effect.flip(calls.write({ ...FakeService.calls.write, ...parts }))
      assert(error._tag === "InvalidRequestError", error._tag)
      assert.strictEqual(received.length, 0)
      for (const { field } of error.issues) assert.include(error.message, field)
      return error
    })

  const authorized = { ...FakeService.calls.write.headers, authorization: "Bearer mine" }
  const keyed = (key: string | undefined) => ({ headers: { "idempotency-key": key } })
  const prototype = JSON.parse(`{"name":"a","__proto__":{"b":1}}`)
  const four = { name: "x".repeat(11), phone_number: 1, otp_code: "y".repeat(33), z: 1 }

  for (const [what, parts, expected] of [
    ["a field that is too long", { payload: { name: "x".repeat(11) } }, ["name"]],
    ["a missing field", { payload: {} }, ["name"]],
    ["a field of another type", { payload: { name: 7 } }, ["name"]],
    ["a null field", { payload: { name: null } }, ["name"]],
    ["an unknown field", { payload: { name: "a", nmae: "b" } }, ["nmae"]],
    ["a field named toString", { payload: { name: "a", toString: "b" } }, ["toString"]],
    ["a field named __proto__", { payload: prototype }, ["__proto__"]],
    ["several at once", { payload: four }, ["name", "otp_code", "phone_number", "z"]],
    ["several parts at once", { ...keyed(""), payload: { name: 7 } }, ["key", "name"]],
    ["no body", { payload: undefined }, ["request"]],
    ["a body that is an array", { payload: [] }, ["request"]],
    ["a body that is text", { payload: "{}" }, ["request"]],
    ["no key", { headers: {} }, ["key"]],
    ["no headers", { headers: undefined }, ["headers"]],
    ["an undefined key", keyed(undefined), ["key"]],
    ["a key of 256 characters", keyed("k".repeat(256)), ["key"]],
    ["a key with a NUL", keyed("a\u0000"), ["key"]],
    ["a key with another header in it", keyed("a\r\nauthorization: Bearer b"), ["key"]],
    ["an unknown header", { headers: authorized }, ["headers.authorization"]]
  ] as const) {
    Test.effect(`is refused with the invalid fields: ${what}`, function* () {
      assert.sameMembers<string>([...FakeService.fieldsOf(yield* refused(parts))], [...expected])
    })
  }

  Test.effect("has at most 20 issues in its error", function* () {
    const unknown = Array.from({ length: 1000 }, (_, i) => [`field${i}`, 1] as const)
    const payload = { name: "a thing", ...Object.fromEntries(unknown) }
    assert.lengthOf((yield* refused({ payload })).issues, 20)
  })

  Test.effect("fails without its values in the error", function* () {
    const secret = "HUSH-4821"
    const hidden = { phone_number: { secret }, otp_code: [secret], unknown: secret }
    const payload = { name: secret.repeat(4), ...hidden }
    const error = yield* refused({ ...keyed(`${secret}\n`), payload })
    assert.strictEqual(error.issues.length, 5)
    assert.notInclude(JSON.stringify(error) + String(error), secret)
  })

  it.effect("is refused before a token is obtained", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make(
        { baseUrl: "https://service.invalid/api/v1" },
        { get: () => Effect.die("asked"), reject: () => Effect.die("rejected") }
      )
      const calls = gateway.calls(FakeService.group)
      const error = yield* Effect.flip(calls.writeOnce({ payload: { name: "x".repeat(11) } }))
      assert.strictEqual(error._tag, "InvalidRequestError")
    }).pipe(
      Effect.provideService(
        HttpClient.HttpClient,
        HttpClient.make(() => Effect.die("sent"))
      )
    )
  )

  Test.effect("fails with the rule in the message", function* () {
    const error = yield* refused({ payload: { name: "x".repeat(11) } })
    assert.deepStrictEqual(error.issues, [
      { field: "name", rule: "must be a string of at most 10 characters" }
    ])
    const sentence = "name must be a string of at most 10 characters."
    assert.strictEqual(error.message, `Things.write was not sent: ${sentence}`)
  })

  Test.effect("is an error, not an exception, when its body has no JSON form", function* () {
    const group = Operation.group("Free", {
      send: Operation.once({
        method: "POST",
        path: "/send",
        summary: "Send anything",
        access: "bearer",
        payload: Schema.Struct({ anything: Schema.Unknown }),
        success: Schema.Struct({}),
        checks: { members: [] }
      })
    })
    const { gateway, received } = yield* FakeService.make([FakeService.success])
    const error = yield* Effect.flip(gateway.calls(group).send({ payload: { anything: 1n } }))
    assert.strictEqual(error._tag, "InvalidRequestError")
    assert.strictEqual(received.length, 0)
  })
})

describe("a path parameter", () => {
  const pathOf = (reference: string) =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      const path = { thing: FakeService.reference(reference) }
      const result = yield* Effect.either(calls.read({ path }))
      return { result, url: received.map(({ url }) => new URL(url)) }
    })

  // `Loopback.test.ts` has more, over each client.
  for (const [reference, escaped] of [
    ["TXN-42", "TXN-42"],
    ["..\\payouts", "..%5Cpayouts"],
    ["%2F", "%252F"],
    ["...", "..."],
    ["\u{1f9fe}", "%F0%9F%A7%BE"],
    ["\u0000", "%00"],
    ["\r\nHost: elsewhere", "%0D%0AHost%3A%20elsewhere"],
    ["//elsewhere.invalid", "%2F%2Felsewhere.invalid"],
    ["@elsewhere.invalid", "%40elsewhere.invalid"],
    [":thing", "%3Athing"]
  ] as const) {
    Test.effect(`${JSON.stringify(reference)} stays in its segment`, function* () {
      const { url } = yield* pathOf(reference)
      assert.strictEqual(url[0]?.href, `https://service.invalid/api/v1/things/${escaped}`)
    })
  }

  it.effect.prop(
    "never changes the rest of the path",
    [FastCheck.string({ unit: "binary", minLength: 1 })],
    ([reference]) =>
      Effect.gen(function* () {
        const { url } = yield* pathOf(reference)
        for (const { hash, host, pathname, search } of url) {
          assert.strictEqual(host, "service.invalid")
          assert.strictEqual(search + hash, "")
          const [last = "", ...before] = pathname.split("/").reverse()
          assert.deepStrictEqual(before, ["things", "v1", "api", ""])
          assert.strictEqual(decodeURIComponent(last), reference)
        }
      })
  )

  for (const reference of [".", "..", "\ud800", "a\udc00"]) {
    Test.effect(`${JSON.stringify(reference)} is refused with one issue`, function* () {
      const { result, url } = yield* pathOf(reference)
      assert(result._tag === "Left" && result.left._tag === "InvalidRequestError")
      assert.deepStrictEqual(FakeService.fieldsOf(result.left), ["path.thing"])
      assert.strictEqual(url.length, 0)
    })
  }

  for (const path of [{ thing: "" }, { thing: 7 }, { thing: null }, {}, { thing: undefined }]) {
    Test.effect(`${JSON.stringify(path)} is refused with one rule`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      const error = yield* Effect.flip(calls.read({ path: path as never }))
      assert(error._tag === "InvalidRequestError")
      assert.strictEqual(received.length, 0)
      assert.deepStrictEqual(FakeService.fieldsOf(error), ["path.thing"])
    })
  }
})

describe("a query parameter", () => {
  const group = Operation.group("Things", {
    list: Operation.safe({
      method: "GET",
      path: "/things",
      summary: "List things",
      access: "bearer",
      urlParams: Schema.Struct({
        status: Schema.optional(Schema.String),
        per_page: Schema.optional(Page.PerPage)
      }),
      success: Page.of(Schema.Struct({ id: Schema.String }))
    })
  })
  const list = (parts: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const { gateway, received } = yield* FakeService.make([FakeService.answer({ data: [] })])
      const result = yield* Effect.either(gateway.calls(group).list({ urlParams: {}, ...parts }))
      return { result, search: received.map(({ url }) => new URL(url).search) }
    })

  for (const [parts, search] of [
    [{ urlParams: {} }, ""],
    [{ urlParams: { per_page: 100 } }, "?per_page=100"],
    [{ urlParams: { status: "PAID", per_page: 1 } }, "?status=PAID&per_page=1"],
    [{ urlParams: { status: undefined } }, ""],
    [{ urlParams: { status: "" } }, "?status="],
    [{ urlParams: { status: "a b&c=d#e?f/g+h%i" } }, "?status=a%20b%26c%3Dd%23e%3Ff%2Fg%2Bh%25i"],
    [{ urlParams: { status: "é\u{1f9fe}" } }, "?status=%C3%A9%F0%9F%A7%BE"],
    [{ urlParams: { status: "a\r\nb" } }, "?status=a%0D%0Ab"],
    [{ urlParams: {}, extraParams: { "a&b": "c=d" } }, "?a%26b=c%3Dd"],
    [{ urlParams: { status: "A" }, extraParams: { page: "2" } }, "?status=A&page=2"],
    [{ urlParams: { status: undefined }, extraParams: { status: "B" } }, "?status=B"]
  ] as const) {
    Test.effect(`${JSON.stringify(parts)} is sent as ${JSON.stringify(search)}`, function* () {
      assert.deepStrictEqual((yield* list(parts)).search, [search])
    })
  }

  it.effect.prop(
    "is received unchanged",
    [FastCheck.string({ unit: "grapheme" }), FastCheck.string({ unit: "grapheme" })],
    ([status, page]) =>
      Effect.gen(function* () {
        const [search = ""] = (yield* list({ urlParams: { status }, extraParams: { page } })).search
        const parameters = [...new URLSearchParams(search)]
        assert.deepStrictEqual(parameters, [
          ["status", status],
          ["page", page]
        ])
      })
  )

  for (const per_page of [0, 101, -1, 1.5, NaN]) {
    Test.effect(`per_page: ${per_page} is refused, and the rule states the range`, function* () {
      const { result, search } = yield* list({ urlParams: { per_page } })
      assert(result._tag === "Left" && result.left._tag === "InvalidRequestError")
      assert.deepStrictEqual(result.left.issues, [
        { field: "urlParams.per_page", rule: "must be a whole number from 1 to 100" }
      ])
      assert.strictEqual(search.length, 0)
    })
  }

  const doubled = { urlParams: { status: "A" }, extraParams: { status: "B" } }
  const throwing = Object.defineProperty({}, "search", {
    enumerable: true,
    get: () => {
      throw new Error("gotcha")
    }
  })
  for (const [what, parts, field] of [
    ["given twice", doubled, "extraParams.status"],
    ["that is half a surrogate pair", { urlParams: { status: "\ud800" } }, "urlParams.status"],
    ["whose name is half a surrogate pair", { extraParams: { "\ud800": "A" } }, "urlParams.\ud800"],
    ["that is unknown", { urlParams: { stat: "A" } }, "urlParams.stat"],
    ["that is null", { extraParams: { search: null } }, "extraParams.search"],
    ["that is an object", { extraParams: { search: {} } }, "extraParams.search"],
    ["that is a number", { extraParams: { search: 7 } }, "extraParams.search"],
    ["that throws when it is read", { extraParams: throwing }, "extraParams"]
  ] as const) {
    Test.effect(`${what} is refused`, function* () {
      const { result, search } = yield* list(parts)
      assert(result._tag === "Left" && result.left._tag === "InvalidRequestError")
      assert.deepStrictEqual(FakeService.fieldsOf(result.left), [field])
      assert.strictEqual(search.length, 0)
    })
  }
})

describe("the base URL", () => {
  const client = Context.make(
    HttpClient.HttpClient,
    HttpClient.make(() => Effect.die("not sent"))
  )
  const make = (baseUrl: string) => Effect.provide(Gateway.make({ baseUrl }), client)

  for (const baseUrl of [
    "https://host.invalid/api/v1",
    "HTTPS://HOST.invalid/api/v1",
    "https://host.invalid:8443/api/v1/",
    "https://host.invalid",
    "https://10.0.0.1/api/v1",
    "http://localhost:8080/api/v1",
    "http://manilla.localhost/api/v1",
    "http://127.0.0.1:8080",
    "http://127.255.0.9",
    "http://[::1]:8080/api/v1"
  ]) {
    it.effect(`may be ${baseUrl}`, () => make(baseUrl))
  }

  for (const [baseUrl, rule] of [
    ["http://host.invalid/api/v1", /https/],
    ["http://localhost.evil.invalid", /https/],
    ["http://127.0.0.1.evil.invalid", /https/],
    ["http://notlocalhost", /https/],
    ["http://128.0.0.1", /https/],
    ["http://[::2]", /https/],
    ["http://0.0.0.0:8080", /https/],
    ["ws://localhost", /https/],
    ["file:///etc/passwd", /https/],
    ["javascript:alert(1)", /https/],
    ["https://user:hush@host.invalid", /credentials/],
    ["https://user@host.invalid", /credentials/],
    ["https://localhost:hush@evil.invalid", /credentials/],
    ["https://host.invalid/api/v1?key=hush", /query/],
    ["https://host.invalid/api/v1?", /query/],
    ["https://host.invalid/api/v1#hush", /query|fragment/],
    ["https://host.invalid/api/v1#", /query|fragment/],
    ["host.invalid/api/v1", /URL/],
    ["//host.invalid", /URL/],
    ["/api/v1", /URL/],
    ["https://", /URL/],
    ["", /URL/]
  ] as const) {
    Test.effect(`may not be ${JSON.stringify(baseUrl)}`, function* () {
      const error = yield* Effect.flip(make(baseUrl))
      assert.deepInclude(error, { _tag: "ConfigurationError", field: "baseUrl" })
      assert.match(error.rule, rule)
      assert.notInclude(error.message, "hush")
    })
  }

  for (const [baseUrl, sentTo] of [
    ["https://host.invalid/api/v1", "https://host.invalid/api/v1/things/a"],
    ["https://host.invalid/api/v1/", "https://host.invalid/api/v1/things/a"],
    ["https://host.invalid/api/v1//", "https://host.invalid/api/v1/things/a"],
    ["https://host.invalid", "https://host.invalid/things/a"],
    [" https://host.invalid/api/v1 ", "https://host.invalid/api/v1/things/a"],
    ["https://host.invalid/api/v1/ \n", "https://host.invalid/api/v1/things/a"],
    ["http://localhost:80/api/v1", "http://localhost/api/v1/things/a"]
  ] as const) {
    Test.effect(`${JSON.stringify(baseUrl)} sends requests to ${sentTo}`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], { baseUrl })
      yield* calls.read({ path: { thing: FakeService.reference("a") } })
      assert.strictEqual(received[0]?.url, sentTo)
    })
  }
})

describe("the gateway as a layer", () => {
  const requests: Array<string> = []
  const outside = Layer.mergeAll(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((_, url) => {
        requests.push(url.href)
        return Effect.interrupt
      })
    ),
    Layer.succeed(BearerTokens.BearerTokens, FakeService.tokens())
  )
  const build = (config: Record<string, string>) =>
    Gateway.Gateway.pipe(
      Effect.provide(Gateway.layerConfig()),
      Effect.provide(outside),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(config))))
    )

  Test.effect("reads its base URL from MANILLA_BASE_URL", function* () {
    const gateway = yield* build({ MANILLA_BASE_URL: "https://host.invalid/api/v1/" })
    const { read } = gateway.calls(FakeService.group)
    yield* Effect.flip(read(FakeService.calls.read, { retry: { attempts: 1 } }))
    assert.deepStrictEqual(requests, ["https://host.invalid/api/v1/things/thing-1"])
  })

  for (const [what, config] of [
    ["missing", {}],
    ["empty", { MANILLA_BASE_URL: "" }],
    ["without https", { MANILLA_BASE_URL: "http://host.invalid/api/v1" }],
    ["with a password", { MANILLA_BASE_URL: "https://user:hush@host.invalid/api/v1" }]
  ] as const) {
    Test.effect(`fails with the name of a variable ${what}`, function* () {
      const error = yield* Effect.flip(build(config))
      assert.include(String(error), "MANILLA_BASE_URL")
      assert.notInclude(String(error), "hush")
    })
  }

  Test.effect("also validates a base URL in the options", function* () {
    const error = yield* Gateway.Gateway.pipe(
      Effect.provide(Gateway.layer({ baseUrl: "http://host.invalid" })),
      Effect.provide(outside),
      Effect.flip
    )
    assert.strictEqual(error._tag, "ConfigurationError")
  })
})

describe("before anything is sent", () => {
  for (const token of ["read from a file\n", "two words", "d\u00e9j\u00e0-vu", "bell\u0007"]) {
    Test.effect(`a token that no header has is refused: ${JSON.stringify(token)}`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], { token })
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert.strictEqual(error._tag, "TokenUnavailableError")
      assert.notInclude(error.message, token.trim())
      assert.strictEqual(received.length, 0)
    })
  }

  for (const [field, options] of [
    ["retry.attemptTimeout", { retry: { attemptTimeout: 0 } }],
    ["retry.deadline", { retry: { deadline: 0 } }],
    // From an untyped configuration.
    ["retry.base", { retry: { base: "250 ms" } }],
    ["retry.base", { retry: { base: NaN } }],
    ["retry.base", { retry: { base: -5 } }],
    ["retry.base", { retry: { base: [NaN, 0] } }],
    ["retry.cap", { retry: { cap: [-1, 0] } }],
    ["retry.cap", { retry: { cap: "soon" } }],
    ["retry.cap", { retry: { cap: "-1 second" } }],
    ["retry.attemptTimeout", { retry: { attemptTimeout: NaN } }],
    ["retry.deadline", { retry: { deadline: "3 min" } }],
    ["retry.attempts", { retry: { attempts: NaN } }],
    ["retry.attempts", { retry: { attempts: 2.5 } }],
    ["retry.budget", { retry: { budget: NaN } }],
    ["retry.budget", { retry: { budget: -1 } }],
    ["bodyLimit", { bodyLimit: NaN }]
  ] as const) {
    Test.effect(`a bad option is refused: ${field}, ${JSON.stringify(options)}`, function* () {
      const error = yield* Effect.flip(
        FakeService.make([FakeService.success], options as FakeService.Options)
      )
      assert(error._tag === "ConfigurationError")
      assert.strictEqual(error.field, field)
    })
  }

  Test.effect("an option that is undefined counts as not set", function* () {
    const retry = { attempts: undefined, deadline: undefined, budget: undefined }
    const { calls } = yield* FakeService.make([FakeService.success], { retry: retry as never })
    yield* calls.read(FakeService.calls.read)
  })
})
