import { assert, describe, it, vi } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Test from "@manilla/test-support/Test"
import type * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as clocks from "../src/internal/doctor/clock.js"
import { characters, names } from "../src/internal/doctor/settings.js"
import { manilla, type Printed, type Settings, settings, test } from "./utils/manilla.js"
import * as proxies from "./utils/proxy.js"

interface Finding {
  readonly check: string
  readonly level: string
  readonly text: string
  readonly remedy?: string
}

const findingsIn = ({ out }: Printed): ReadonlyArray<Finding> =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** All findings of the checks that have one that is not fine. */
const findings = (changes: Settings = {}) =>
  Effect.map(manilla(["doctor", "--json"], changes), (printed) => {
    const found = findingsIn(printed)
    const isFailed = found.some(({ level }) => level === "fail")
    assert.strictEqual(printed.code, isFailed ? 1 : 0)
    return found.map(
      ({ check, level, remedy, text }) =>
        `${level} ${check}: ${text}${remedy === undefined ? "" : ` ${remedy}`}`
    )
  })

/** The findings that are not fine. */
const troubles = (changes: Settings = {}) =>
  Effect.map(findings(changes), (all) => all.filter((text) => !text.startsWith("ok")))

/** The catalogue of a sandbox has services that are unavailable. */
const usual =
  "warn catalogue: 42 services, 3 of them unavailable. Do not offer: PAYOUT by celtiis_cash in BJ, DEPOSIT by moov_money in CI, COLLECTION by free_money in SN."

/** Settings that are wrong, and all that the doctor finds. `HOST` is that of the sandbox's account gateway. */
const cases: ReadonlyArray<readonly [string, Settings, ...expected: ReadonlyArray<string>]> = [
  ["nothing wrong", {}, usual],
  [
    "settings that are missing or wrong",
    { MANILLA_BASE_URL: undefined, MANILLA_AUTH_URL: "http://accounts.example" },
    "fail settings: MANILLA_BASE_URL is not set. Set this variable.",
    "fail settings: MANILLA_AUTH_URL must start with https:// (http:// is allowed on loopback only). Correct this variable."
  ],
  [
    "settings that are safer to set",
    { MANILLA_ENVIRONMENT: undefined, MANILLA_PAGE_PARAMETER: "" },
    "warn settings: MANILLA_ENVIRONMENT is not set: credentials for real money would be used without a word. Set it to SANDBOX or LIVE.",
    "warn settings: MANILLA_PAGE_PARAMETER is not set: only the first page of a list can be read. Ask the service for its query parameter. `manilla probe` finds it in a sandbox.",
    usual
  ],
  [
    "an environment that is empty",
    { MANILLA_ENVIRONMENT: "" },
    "fail settings: MANILLA_ENVIRONMENT must be SANDBOX or LIVE: it is empty. Correct this variable."
  ],
  [
    "an environment that does not exist",
    { MANILLA_ENVIRONMENT: "sandbox" },
    "fail settings: MANILLA_ENVIRONMENT must be SANDBOX or LIVE. Correct this variable."
  ],
  [
    "a wrong secret",
    { MANILLA_CLIENT_SECRET: "another" },
    "fail token: HOST refuses the credentials (status 401, INVALID_CREDENTIALS). Correct MANILLA_CLIENT_ID and MANILLA_CLIENT_SECRET: copy both again, and set them exactly."
  ],
  [
    "credentials of another environment",
    { MANILLA_ENVIRONMENT: "LIVE" },
    "fail token: The credentials are not for the configured environment, LIVE, so their token is not used. They are for SANDBOX. Correct the credentials or the option environment (MANILLA_ENVIRONMENT). Run `manilla doctor` again. If it fails again, ask the service."
  ],
  [
    "a port on which nothing listens",
    { MANILLA_BASE_URL: "http://127.0.0.1:1/api/v1" },
    "fail connect: 127.0.0.1:1: the connection was refused by 127.0.0.1:1 (ECONNREFUSED). Check MANILLA_BASE_URL, and that a server or the proxy listens there."
  ],
  [
    "a host without an address",
    { MANILLA_BASE_URL: "https://api.invalid/api/v1" },
    "fail DNS: api.invalid has no address (ENOTFOUND). Correct MANILLA_BASE_URL, or the name servers of this machine. If a proxy is needed, name it in HTTPS_PROXY."
  ],
  [
    "https where there is no TLS",
    { MANILLA_AUTH_URL: "https://HOST/api/v1" },
    "fail TLS: HOST: the port does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER). Check the scheme and the port of MANILLA_AUTH_URL."
  ],
  [
    "a proxy that is no URL",
    { HTTPS_PROXY: "user:s3cret@proxy.example:3128" },
    "fail settings: HTTPS_PROXY must be the URL of a proxy, such as http://proxy.example:3128 or http://USER:PASSWORD@proxy.example:3128 (http and https only). Correct this variable."
  ],
  [
    "a proxy whose password is not encoded",
    { https_proxy: "http://user:s3%cret@proxy.example:3128", HTTPS_PROXY: "http://unused.example" },
    "fail settings: https_proxy must be the URL of a proxy, such as http://proxy.example:3128 or http://USER:PASSWORD@proxy.example:3128 (http and https only); write % as %25. Correct this variable."
  ]
]

describe("the doctor finds", () => {
  for (const [name, changes, ...expected] of cases) {
    test(name, function* () {
      const { MANILLA_AUTH_URL } = yield* settings
      const { host } = new URL(MANILLA_AUTH_URL)
      const withHost = (text: string | undefined) => text?.replace("HOST", host)
      const found = yield* troubles(Record.map(changes, withHost))
      assert.deepStrictEqual(found, expected.map(withHost))
      for (const text of found) assert.notMatch(text, /s3/)
    })
  }

  test("all in order, in lines that fit a terminal", function* () {
    const { err, out } = yield* manilla(["doctor"])
    const { MANILLA_CLIENT_SECRET } = yield* settings
    assert.notInclude(out + err, MANILLA_CLIENT_SECRET)
    for (const line of out.split("\n")) assert.isAtMost(line.length, 100)
  })

  test("a clock that is wrong", function* () {
    const clock = yield* Effect.clock
    const ahead = (millis: number): Clock.Clock => ({
      ...clock,
      sleep: (duration) => clock.sleep(duration),
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis,
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
    })
    const [skew = ""] = yield* Effect.withClock(troubles(), ahead(60_000))
    const said =
      /^warn clock: This machine is (\d+) to (\d+) s ahead of 127\.0\.0\.1:\d+\. Let the system/
    const [, low, high] = said.exec(skew) ?? []
    // A slow response makes the range wider.
    assert.isTrue(Number(low) <= 60 && Number(high) >= 60, skew)
  })

  test("a service that is slow", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const operation = "Catalogue.list"
    yield* faults.add(Fault.delay("2100 millis", { operation, count: "always" }))
    const [, latency = ""] = yield* troubles()
    assert.match(latency, /^warn latency: A read takes \d{4,} ms\. Check the network/)
  })

  test("the operations that the scopes do not allow", function* () {
    const { setScopes } = yield* Sandbox.Sandbox
    yield* setScopes(["payments.read", "payments.write"])
    const found = yield* troubles()
    const ask = "If you need it, ask for the scope virtual_cards.cards.write."
    assert.include(found, `warn scopes: Cards.issue is not allowed. ${ask}`)
    assert.notInclude(found.join(), "Payments.create is not allowed")
    const scopes = Array.from(ServiceApi.operations.values(), ({ access }) => access)
    const others = scopes.filter((scope) => /\./.test(scope) && !scope.startsWith("payments."))
    const warnings = found.filter((text) => text.startsWith("warn scopes"))
    assert.lengthOf(warnings, others.length)
  })
})

test("the doctor finds a server that closes the connection in the TLS handshake", function* () {
  const { host } = yield* proxies.make("close")
  assert.deepStrictEqual(yield* troubles({ MANILLA_BASE_URL: `https://${host}` }), [
    `fail TLS: ${host}: the TLS handshake failed (ECONNRESET). Check MANILLA_BASE_URL, and a proxy or a firewall in between.`
  ])
})

describe("the doctor compares clocks only as exactly as it can", () => {
  /** Our clock before and after the request in milliseconds, if the host said 100 s. */
  const readings: ReadonlyArray<readonly [number, number, string]> = [
    [100_000, 100_040, "ok: The clocks of this machine and HOST differ by at most 1 s."],
    [100_999, 100_999, "ok: The clocks of this machine and HOST differ by at most 1 s."],
    [101_000, 102_500, "ok: The clocks of this machine and HOST differ by at most 3 s."],
    [102_100, 102_200, "ok: This machine is 1 to 3 s ahead of HOST."],
    [98_000, 98_900, "ok: This machine is 1 to 3 s behind HOST."],
    [103_500, 105_500, "ok: This machine is 2 to 6 s ahead of HOST."],
    [106_000, 106_001, "warn: This machine is 5 to 7 s ahead of HOST."],
    [40_000, 40_100, "warn: This machine is 59 to 61 s behind HOST."]
  ]
  for (const [before, after, expected] of readings) {
    it(`${before} to ${after}`, () => {
      const date = new Date(100_000).toUTCString()
      const { level, text } = clocks.compare("HOST", date, before, after)
      assert.strictEqual(`${level}: ${text}`, expected)
    })
  }

  it("says nothing about a host that sends no date", () => {
    const { level, text } = clocks.compare("HOST", undefined, 0, 0)
    assert.strictEqual(`${level}: ${text}`, "ok: HOST does not tell its time.")
  })
})

const strays = {
  "a line break": ["VALUE\n", "\r\nVALUE"],
  "spaces around it": [" VALUE", "VALUE\t", "\u00a0VALUE"],
  "quotes around it": ['"VALUE"', "'VALUE'", "“VALUE”"],
  "a character that is not visible": ["VA\u200bLUE", "VALUE\u0000"]
}

for (const name of names) {
  Test.effect(`the doctor finds stray characters in ${name}, and prints none`, function* () {
    for (const [stray, values] of Record.toEntries(strays)) {
      for (const value of values) {
        const provider = ConfigProvider.fromMap(new Map([[name, value]]))
        const found = yield* Effect.withConfigProvider(characters, provider)
        const texts = found.map(({ text }) => text)
        assert.deepStrictEqual(texts, [`${name} has ${stray}.`])
      }
    }
    const fine = ConfigProvider.fromMap(new Map([[name, `s3cret "with" quotes`]]))
    assert.isEmpty(yield* Effect.withConfigProvider(characters, fine))
  })
}

describe("the doctor names the proxy", () => {
  const base = { MANILLA_BASE_URL: "https://api.invalid/api/v1" }
  const proxyOf = (host: string) => ({ ...base, HTTPS_PROXY: `http://user:s3cret@${host}` })

  /** The answers of a proxy, and what the doctor says of it. */
  const refusals: ReadonlyArray<readonly [proxies.Answer, string]> = [
    [
      407,
      "responds with 407 to CONNECT api.invalid:443. Correct the user and the password in HTTPS_PROXY. Percent-encode special characters, such as %40 for @."
    ],
    [
      403,
      "responds with 403 to CONNECT api.invalid:443. Ask the operator of the proxy to allow api.invalid:443, or name that host in NO_PROXY to reach it without a proxy."
    ],
    [
      502,
      "responds with 502 to CONNECT api.invalid:443. The proxy does not reach that host: correct MANILLA_BASE_URL, or ask the operator of the proxy."
    ],
    [
      503,
      "responds with 503 to CONNECT api.invalid:443. The proxy does not reach that host: correct MANILLA_BASE_URL, or ask the operator of the proxy."
    ],
    [
      405,
      "responds with 405 to CONNECT api.invalid:443. Ask the operator of the proxy: it must allow CONNECT to api.invalid:443."
    ],
    [
      "close",
      "opens no tunnel to api.invalid:443: the proxy closed the connection before its response (UND_ERR_PRX_CONN). Correct HTTPS_PROXY, or name that host in NO_PROXY to reach it without a proxy."
    ]
  ]
  for (const [answer, says] of refusals) {
    test(`that answers ${JSON.stringify(answer)}`, function* () {
      const { heads, host } = yield* proxies.make(answer)
      const found = yield* troubles(proxyOf(host))
      assert.deepStrictEqual(found, [`fail proxy: The proxy http://${host} (HTTPS_PROXY) ${says}`])
      assert.lengthOf(heads, 1)
      assert.match(heads[0] ?? "", /^CONNECT api\.invalid:443 HTTP\/1\.1\r\n/)
      assert.include(heads[0], `proxy-authorization: Basic ${btoa("user:s3cret")}\r\n`)
    })
  }

  test("that needs a password, and has none", function* () {
    const { host } = yield* proxies.make(407)
    const found = yield* troubles({ ...base, https_proxy: `http://${host}` })
    assert.deepStrictEqual(found, [
      `fail proxy: The proxy http://${host} (https_proxy) responds with 407 to CONNECT api.invalid:443. Put the user and the password of the proxy into https_proxy: http://USER:PASSWORD@HOST:PORT.`
    ])
  })

  test("on which nothing listens", function* () {
    assert.deepStrictEqual(yield* troubles(proxyOf("127.0.0.1:1")), [
      "fail proxy: The proxy http://127.0.0.1:1 (HTTPS_PROXY) opens no tunnel to api.invalid:443: the connection was refused by 127.0.0.1:1 (ECONNREFUSED). Correct HTTPS_PROXY, or name that host in NO_PROXY to reach it without a proxy."
    ])
  })

  test("and goes around it for a host in NO_PROXY, and for this machine", function* () {
    const { heads, host } = yield* proxies.make("close")
    const HTTP_PROXY = `http://${host}`
    // undici reads it there by itself.
    yield* Effect.acquireRelease(
      Effect.sync(() => vi.stubEnv("HTTP_PROXY", HTTP_PROXY)),
      () => Effect.sync(() => vi.unstubAllEnvs())
    )
    assert.deepStrictEqual(yield* troubles({ HTTP_PROXY, HTTPS_PROXY: HTTP_PROXY }), [usual])
    for (const NO_PROXY of ["api.invalid", "other.invalid, .invalid", "invalid:443", "*"]) {
      const found = yield* findings({ ...proxyOf(host), NO_PROXY })
      assert.include(found, "ok proxy: api.invalid is reached without a proxy: NO_PROXY names it.")
      assert.include(found.join(), "fail DNS: api.invalid has no address")
    }
    assert.isEmpty(heads)
  })
})
