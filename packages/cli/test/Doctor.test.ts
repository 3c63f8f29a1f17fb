import { assert, describe, it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { manilla, type Printed, sandbox, type Settings, settings } from "./utils/manilla.js"

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

/** The findings that are not fine; each has a remedy. */
const troubles = (changes: Settings = {}) =>
  Effect.map(manilla(["doctor", "--json"], changes), (printed) => {
    const found = findingsIn(printed).filter(({ level }) => level !== "ok")
    for (const { remedy } of found) assert.isNotEmpty(remedy)
    const isFailed = found.some(({ level }) => level === "fail")
    assert.strictEqual(printed.code, isFailed ? 1 : 0)
    return found.map(({ check, level, text }) => `${level} ${check}: ${text}`)
  })

/** The catalogue of a sandbox has services that are unavailable. */
const usual = "warn catalogue: 42 services, 3 of them unavailable."

const withSandbox = <A, E>(self: Effect.Effect<A, E, Sandbox.Sandbox>) =>
  Effect.provide(self, sandbox())

describe("the doctor", () => {
  it.live("finds nothing wrong with a sandbox", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* troubles(), [usual])
      const { err, out } = yield* manilla(["doctor"])
      const { MANILLA_CLIENT_SECRET } = yield* settings
      assert.notInclude(out + err, MANILLA_CLIENT_SECRET)
      for (const line of out.split("\n")) assert.isAtMost(line.length, 100)
    }).pipe(withSandbox)
  )

  it.live("names settings that are missing or wrong, and those that are safer to set", () =>
    Effect.gen(function* () {
      const missing = { MANILLA_BASE_URL: undefined, MANILLA_AUTH_URL: "http://accounts.example" }
      assert.deepStrictEqual(yield* troubles(missing), [
        "fail settings: MANILLA_BASE_URL is not set.",
        "fail settings: MANILLA_AUTH_URL: must start with https:// (http:// is allowed on loopback only)."
      ])
      const optional = { MANILLA_ENVIRONMENT: undefined, MANILLA_PAGE_PARAMETER: undefined }
      const [environment = "", page = ""] = yield* troubles(optional)
      assert.match(environment, /^warn settings: MANILLA_ENVIRONMENT is not set/)
      assert.match(page, /^warn settings: MANILLA_PAGE_PARAMETER is not set/)
    }).pipe(withSandbox)
  )

  it.live("finds a host without an address, and one without TLS", () =>
    Effect.gen(function* () {
      const { MANILLA_AUTH_URL } = yield* settings
      const { host } = new URL(MANILLA_AUTH_URL)
      const changes = {
        MANILLA_BASE_URL: "https://api.invalid/api/v1",
        MANILLA_AUTH_URL: MANILLA_AUTH_URL.replace("http:", "https:")
      }
      const [dns = "", ...auth] = yield* troubles(changes)
      assert.match(dns, /^fail DNS: api\.invalid has no address: /)
      assert.deepStrictEqual(auth, [
        `fail TLS: ${host} cannot be reached: ERR_SSL_WRONG_VERSION_NUMBER.`
      ])
    }).pipe(withSandbox)
  )

  it.live("finds a clock that is wrong", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const ahead = (millis: number): Clock.Clock => ({
        ...clock,
        sleep: (duration) => clock.sleep(duration),
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
      })
      const [skew = ""] = yield* Effect.withClock(troubles(), ahead(60_000))
      assert.match(skew, /^warn clock: This machine is (59|60|61)\.\d s ahead of 127\.0\.0\.1/)
    }).pipe(withSandbox)
  )

  it.live("finds credentials that are refused, and those of another environment", () =>
    Effect.gen(function* () {
      const [refused = ""] = yield* troubles({ MANILLA_CLIENT_SECRET: "wrong" })
      assert.match(refused, /^fail token: .*INVALID_CREDENTIALS/)
      const [other = ""] = yield* troubles({ MANILLA_ENVIRONMENT: "LIVE" })
      assert.match(
        other,
        /^fail token: The credentials are not for the configured environment, LIVE/
      )
    }).pipe(withSandbox)
  )

  it.live("names the operations that the scopes do not allow", () =>
    Effect.gen(function* () {
      const { setScopes } = yield* Sandbox.Sandbox
      yield* setScopes(["payments.read", "payments.write"])
      const found = yield* troubles()
      assert.include(found, "warn scopes: Cards.issue is not allowed.")
      assert.notInclude(found.join(), "Payments.create is not allowed")
      assert.lengthOf(
        found.filter((text) => text.startsWith("warn scopes")),
        10
      )
    }).pipe(withSandbox)
  )
})
