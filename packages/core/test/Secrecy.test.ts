/**
 * A hostile service repeats the secrets of requests in every way; no output may contain them.
 */
import { assert, describe, it } from "@effect/vitest"
import * as FakeService from "@manilla/test-support/FakeService"
import { controls, observe, stringsIn, traces } from "@manilla/test-support/Observed"
import * as Test from "@manilla/test-support/Test"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as sanitize from "../src/internal/text/sanitize.js"

const token = "eyJhbGciOiJSUzI1NiJ9.Y2FuYXJ5LXRva2Vu.kR9xWq-sT_4vZ"
const phone = "+22901949372650"
const otp = "Kd8-vTq2Rm7z"
/** Every character that some encoding escapes. */
const awkward = `q"W\\e/r+t=é&${"\u{1f9fe}"}<Zx9Kp>`

const canaries = { token, phone, otp, awkward } as const

const says = (message: string, rest: Record<string, unknown> = {}): FakeService.Reflex =>
  FakeService.failure(422, {}, { code: "C", message, ...rest })

const text = (status: number, body: string): FakeService.Reflex => ({ status, body })

/** A failure envelope. */
const failing = (error: Record<string, unknown>, correlation_id: string): string =>
  JSON.stringify({ success: false, data: { error }, meta: { correlation_id } })

/** A text with the secret at an index. */
const at = (index: number, secret: string): string =>
  "word ".repeat(Math.ceil(index / 5)).slice(0, index) + secret

const echoes: Record<string, (secret: string) => FakeService.Reflex> = {
  "in the message": (secret) => says(`the number ${secret} is not known`),
  "in the message, twice over": (secret) => says(`${secret}${secret}`),
  "in the message, where it is truncated": (secret) => says(at(488, secret)),
  "in the message, JSON-escaped": (secret) => says(`body: ${JSON.stringify({ secret })}`),
  "in the code": (secret) =>
    FakeService.failure(409, {}, { code: `NO_${secret}`, message: "words" }),
  "in the details": (secret) => says("m", { details: { payer: [{ phone: secret }] } }),
  "in the keys of the details": (secret) => says("m", { details: { [secret]: ["is wrong"] } }),
  "in details that are an array": (secret) => says("m", { details: [`${secret} is wrong`] }),
  "in details that are a string": (secret) => says("m", { details: secret }),
  "as a number in the details": (secret) =>
    says("m", { details: { phone: Number(secret.replace(/\D/g, "")) } }),
  "in the correlation id": (secret) => text(500, failing({ code: "C", message: "m" }, secret)),
  "in the correlation id of a contradiction": (secret) =>
    FakeService.answer({}, 404, { correlation_id: secret }),
  "in the id of a success that cannot be read": (secret) =>
    FakeService.answer({ id: secret, reference: secret }, 201),
  "in the keys of a success that cannot be read": (secret) =>
    text(201, JSON.stringify({ success: true, data: { [secret]: { [secret]: 1 } }, [secret]: 1 })),
  "in the values of a success that cannot be read": (secret) =>
    FakeService.answer({ id: [secret], status: { secret } }, 201),
  "in HTML": (secret) => text(200, `<html><p>Hello ${secret}</p></html>`),
  "in HTML under an error": (secret) => text(502, `<html><p>Hello ${secret}</p></html>`),
  "in plain text": (secret) => text(200, `no: ${secret}`),
  "in plain text, where it is truncated": (secret) => text(200, at(190, secret)),
  "in truncated JSON": (secret) => text(200, `{"success":true,"data":{"otp":"${secret}`),
  "in truncated JSON, escaped": (secret) =>
    text(200, `{"success":true,"data":${JSON.stringify({ otp: secret })}`),
  "in a key of truncated JSON": (secret) => text(200, `{"${secret}":`),
  "in the location of a redirect": (secret) => ({
    status: 302,
    headers: { location: `https://elsewhere.invalid/${encodeURIComponent(secret)}` }
  }),
  "in Retry-After": (secret) =>
    FakeService.failure(503, { "retry-after": encodeURIComponent(secret) }),
  "in the error of a lost connection": (secret) => ({ drop: "ECONNRESET", words: secret }),
  "in the error of a refused connection": (secret) => ({ drop: "ECONNREFUSED", words: secret })
}

/** URL encoding changes only a few characters of these. */
const inUrls: Record<string, (secret: string) => FakeService.Reflex> = {
  "in the message, URL-encoded": (secret) => says(`to=${encodeURIComponent(secret)}&x=1`),
  "in the message, URL-encoded in lower case": (secret) =>
    says(`to=${encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase())}&x=1`)
}

const options: FakeService.Options = { token, retry: { attempts: 2, base: 0 } }

for (const [name, secret] of Object.entries(canaries)) {
  describe(`the ${name} is not printed`, () => {
    const all = secret === awkward ? echoes : { ...echoes, ...inUrls }
    for (const [how, echo] of Object.entries(all)) {
      Test.effect(how, function* () {
        // Tokens end in their number; the service repeats one that was sent.
        const said = secret === token ? `${token}0` : secret
        const { calls, received } = yield* FakeService.make([echo(said)], options)
        const payload = {
          name: "a thing",
          phone_number: secret === awkward ? awkward : phone,
          otp_code: otp
        }
        const write = yield* observe(calls.write({ ...FakeService.calls.write, payload }))
        const once = yield* observe(calls.writeOnce({ payload }))
        const read = yield* observe(calls.read(FakeService.calls.read))
        assert(received.length >= 3)
        const shown = [write.text, once.text]
        // A read sends only the token.
        if (secret === token) shown.push(read.text)
        for (const text of shown) assert.deepStrictEqual(traces(secret, text), [])
        assert([write, once, read].every(({ exit }) => exit._tag === "Failure"))
      })
    }

    Test.effect("in the scopes of the token", function* () {
      const scopes = [secret, `payments.${secret}`]
      const tokens = FakeService.tokens(() =>
        Effect.succeed({ ...FakeService.token, value: Redacted.make(token), scopes })
      )
      const { calls } = yield* FakeService.make([FakeService.failure(403)], { tokens })
      const payload = { name: "a thing", phone_number: secret === token ? phone : secret }
      const { exit, text: shown } = yield* observe(calls.writeOnce({ payload }))
      assert(Exit.isFailure(exit))
      assert.include(shown, "payments.")
      assert.deepStrictEqual(traces(secret, shown), [])
    })

    Test.effect("in a success", function* () {
      const { calls } = yield* FakeService.make([FakeService.success], options)
      const payload = {
        name: "a thing",
        phone_number: secret === token ? phone : secret,
        otp_code: otp
      }
      const { exit, text: shown } = yield* observe(
        calls.write({ ...FakeService.calls.write, payload })
      )
      assert(Exit.isSuccess(exit))
      assert.deepStrictEqual(traces(secret, shown), [])
    })

    Test.effect("when the request is refused", function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], options)
      const payload = { name: "a thing", phone_number: secret.repeat(9), otp_code: [secret] }
      const { exit, text: shown } = yield* observe(calls.writeOnce({ payload: payload as never }))
      assert(Exit.isFailure(exit))
      assert.strictEqual(received.length, 0)
      assert.deepStrictEqual(traces(secret, shown), [])
    })
  })
}

/** The numbers of fibers, and the random ids of spans and requests, may contain the few digits that a test looks for. */
const withoutIds = (text: string): string => text.replace(/#\d+|[0-9a-f-]{16,}/g, "")

describe("a phone number is not printed in another format", () => {
  const writings = [
    "+22901949372650",
    "22901949372650",
    "0022901949372650",
    "01949372650",
    "+229 01 94 93 72 650",
    "+229-01-949-372-650",
    "(+229) 01949372650",
    "+229\u201101\u20139493\u22127265\u20100",
    "\u202a+22901949372650\u202c",
    "+229\u200b0194937\u00ad2650"
  ]
  const marked = Array.from(" ./()_+-", (mark) => ["01", "94", "93", "72", "650"].join(mark))
  for (const written of [...writings, ...marked]) {
    for (const sent of writings) {
      Test.effect(`${sent}, as ${written}`, function* () {
        const digits = Number(written.replace(/\D/g, ""))
        const others = [digits, written.replace(/\W/g, "_")]
        const { calls } = yield* FakeService.make(
          [says(`no account for ${written}.`, { details: { [written]: [written, ...others] } })],
          options
        )
        const payload = { name: "a thing", phone_number: sent }
        const { text: printed } = yield* observe(calls.writeOnce({ payload }))
        const shown = withoutIds(printed)
        assert.notInclude(shown, written)
        assert.notMatch(shown, /9\D{0,3}4\D{0,3}9\D{0,3}3\D{0,3}7\D{0,3}2/)
      })
    }
  }

  for (const written of ["61234567", "61 23 45 67", "01-61-23-45-67"]) {
    Test.effect(`nor is a local number of 8 digits, as ${written}`, function* () {
      const { calls } = yield* FakeService.make([says(`no account for ${written}.`)], options)
      const payload = { name: "a thing", phone_number: "+22961234567" }
      const { text: printed } = yield* observe(calls.writeOnce({ payload }))
      assert.notMatch(withoutIds(printed), /2\D?3\D?4\D?5/)
    })
  }

  for (const [sent, written] of [
    ["123456", "123-456"],
    ["123 456", "123456"],
    ["12-34", "1234"],
    ["004512", "004512"]
  ] as const) {
    Test.effect(`nor is a code: ${sent}, as ${written}`, function* () {
      const { calls } = yield* FakeService.make(
        [says(`the code ${written} is wrong`, { details: [Number(written)] })],
        options
      )
      const payload = { name: "a thing", otp_code: sent }
      const { text: printed } = yield* observe(calls.writeOnce({ payload }))
      const shown = withoutIds(printed)
      assert.notInclude(shown, written)
      assert.notMatch(shown, new RegExp(`\\b${Number(written)}\\b`))
    })
  }
})

const long = "t".repeat(1650)

for (const [what, message, token] of [
  ["a code", `${long}0 ${"w".repeat(343)}Kd8vTq is wrong`, long],
  ["the beginning of a code", `${at(495, "Kd8vTq")} is wrong`, "token-"]
] as const) {
  Test.effect(`${what} is not printed where a text is truncated`, function* () {
    const { calls } = yield* FakeService.make([says(message)], { ...options, token })
    const payload = { name: "a thing", otp_code: "Kd8vTq" }
    const { text: shown } = yield* observe(calls.writeOnce({ payload }))
    assert.notMatch(shown, /Kd8v/)
  })
}

Test.effect("nor are the secrets of the next request with the same token", function* () {
  const { calls } = yield* FakeService.make([says(`no ${phone}, no ${otp}`)], options)
  yield* Effect.flip(calls.writeOnce({ payload: { name: "a thing", phone_number: phone } }))
  const { text: shown } = yield* observe(
    calls.writeOnce({ payload: { name: "a thing", otp_code: otp } })
  )
  assert.deepStrictEqual(traces(otp, shown), [])
})

Test.effect("a phone number is not printed if the HTTP client's error repeats it", function* () {
  const lost = { drop: undefined, words: `cannot send ${FakeService.phone}` }
  const { calls } = yield* FakeService.make([lost], options)
  const { text: printed } = yield* observe(calls.writeOnce(FakeService.calls.writeOnce))
  assert.include(printed, "cannot send")
  assert.notInclude(printed, FakeService.phone.slice(-8))
})

Test.effect("a body that is not JSON is not printed", function* () {
  const { calls } = yield* FakeService.make([text(200, `{"name":"Awa Sow`)], options)
  const { text: shown } = yield* observe(calls.read(FakeService.calls.read))
  assert.include(shown, "NotJson")
  assert.notMatch(shown, /Awa|Sow/)
})

it("a text has at most 500 characters, also if all of them are escaped", () => {
  assert.lengthOf(sanitize.plain.text("\u0000".repeat(1000)), 500)
})

it("an id of megabytes is shortened in little time", () => {
  const { identifier } = sanitize.make([sanitize.secret(phone)])
  const id = "A ".repeat(4 * 1024 * 1024)
  // The processor's time, in microseconds: other processes do not change it.
  const before = process.cpuUsage()
  assert.lengthOf(identifier(id), 500)
  assert.isBelow(process.cpuUsage(before).user, 300_000)
})

describe("a text of the service cannot forge or reorder log lines", () => {
  const hostile = "a\r\nERROR b\u0085c\u2028d\u001b[31me\u202ef\u2066g\u200bh\u0000i\ud800j"
  const error = { code: hostile, message: hostile, details: { [hostile]: [hostile] } }
  const answers: Record<string, FakeService.Reflex> = {
    "a refusal": text(422, failing(error, hostile)),
    "a failure of the service": text(503, failing(error, hostile)),
    "a contradiction": text(200, failing(error, hostile)),
    "a success that cannot be read": FakeService.answer(
      { id: hostile, reference: hostile, name: "a thing", [hostile]: hostile },
      201,
      { correlation_id: hostile }
    ),
    "a body that is not JSON": text(200, `${hostile}<html>`)
  }
  for (const [what, answer] of Object.entries(answers)) {
    Test.effect(`in ${what}`, function* () {
      const { calls } = yield* FakeService.make([answer], options)
      const { exit, logs } = yield* observe(calls.write(FakeService.calls.write))
      assert(Exit.isFailure(exit))
      const failure = Option.getOrThrow(Cause.failureOption(exit.cause))
      const strings = stringsIn(failure)
      assert.isAbove(strings.length, 2)
      for (const string of strings) {
        assert.notMatch(string, controls)
      }
      // Logs have line breaks between entries and in stack traces.
      assert.notInclude(logs.join(), "\nERROR b")
      assert.notMatch(logs.join().replaceAll("\n", ""), /[\p{Cc}\u202e\u2066\u2028]/u)
    })
  }
})

describe("other values are still printed", () => {
  Test.effect("the id of a created resource, even with the digits of a code in it", function* () {
    const id = "0b9b8a3e-1234-4d1e-9b8a-3e6c5f4d1e9b"
    const { calls } = yield* FakeService.make([
      FakeService.answer({ id, name: "a thing" }, 201, { correlation_id: id })
    ])
    const payload = { name: "a thing", otp_code: "1234" }
    const error = yield* Effect.flip(calls.write({ ...FakeService.calls.write, payload }))
    assert(error._tag === "AppliedUnreadable")
    assert.deepInclude(error, { id, correlationId: id })
  })

  Test.effect("the reference of a resource, even with eight digits of the phone", function* () {
    const reference = `PAYOUT-${phone.slice(-8)}-0007`
    const { calls } = yield* FakeService.make([
      FakeService.answer({ name: "a thing", reference }, 201)
    ])
    const payload = { name: "a thing", phone_number: phone }
    const error = yield* Effect.flip(calls.write({ ...FakeService.calls.write, payload }))
    assert(error._tag === "AppliedUnreadable")
    assert.strictEqual(error.reference, reference)
    assert.include(error.message, reference)
  })

  Test.effect("the rest of a message and of its details", function* () {
    const { calls } = yield* FakeService.make(
      [says(`the number ${phone} is not known`, { details: { payer: `${phone} is wrong` } })],
      { retry: { attempts: 1 } }
    )
    const payload = { name: "a thing", phone_number: phone }
    const first = yield* Effect.flip(calls.writeOnce({ payload }))
    assert(first._tag === "UnprocessableError")
    assert.match(first.message, /the number .* is not known/)
    assert.match(JSON.stringify(first.details), /\{"payer":".* is wrong"\}/)
  })

  Test.effect("a span has operation, path template, host and outcome, but no ids", function* () {
    const { calls } = yield* FakeService.make([FakeService.failure(404)])
    const { spans, text: shown } = yield* observe(
      calls.read({ path: { thing: FakeService.reference("PERSONAL-REFERENCE") } })
    )
    assert.include(shown, "/things/:thing")
    assert.include(shown, "NotFoundError")
    assert.notInclude(shown, "PERSONAL-REFERENCE")
    assert.include(shown, "service.invalid")
    assert(spans.every((span) => span.startsWith("Things.read ")))
  })
})
