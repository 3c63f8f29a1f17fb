import type { HttpMethod } from "@effect/platform/HttpMethod"
import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as ControlApi from "@manilla/sandbox/ControlApi"
import * as ControlClient from "@manilla/sandbox/ControlClient"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import {
  cardFrom,
  codeOf,
  collected,
  collection,
  key,
  link,
  payoutFrom,
  phone,
  walletIn,
  type Provided,
  type Services as Sandboxed,
  tests as overSandboxes
} from "@manilla/test-support/Sandboxed"
import type { Steps } from "@manilla/test-support/Steps"
import * as Test from "@manilla/test-support/Test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { request } from "node:http"
import { obtain, send, sendAuthorised } from "./utils/harness.js"

const originOf = ({ baseUrl }: Sandbox.Service) => new URL(baseUrl).origin

interface Services extends Sandboxed {
  readonly control: ControlClient.Service
}

const tests =
  (options?: Sandbox.Options) => (title: string, steps: (services: Services) => Steps<Provided>) =>
    overSandboxes(options)(title, function* (services) {
      const control = yield* ControlClient.make({ url: originOf(services.sandbox) })
      return yield* steps({ ...services, control })
    })

const test = tests()

const controlUrl = (path: string) =>
  Effect.map(Sandbox.Sandbox, (sandbox) => `${originOf(sandbox)}${ControlApi.root}${path}`)

const decodeError = Schema.decodeUnknownSync(Schema.parseJson(ControlApi.ControlError))

/** Sends a request that must be refused, and returns the error. */
const refusal = (method: HttpMethod, path: string, raw: Parameters<typeof send>[1] = {}) =>
  Effect.gen(function* () {
    const { status, text } = yield* send(yield* controlUrl(path), { method, ...raw })
    const error = decodeError(text)
    assert.strictEqual(status, error.status)
    return error
  })

const unknownId = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"

describe("credentials", () => {
  tests({ clientId: "me", clientSecret: Redacted.make("mine") })(
    "are read and rotated, and tokens are revoked",
    function* ({ control, sandbox, payments }) {
      const read = yield* control.credentials
      assert.deepStrictEqual(
        [read.client_id, read.base_url, read.auth_url],
        ["me", sandbox.baseUrl, sandbox.authUrl]
      )
      assert.strictEqual(Redacted.value(read.client_secret), "mine")
      const { id } = yield* payments.create(collection, { key })
      yield* control.revokeTokens
      // The client obtains a new token.
      yield* payments.get(id)
      const rotated = yield* control.rotateSecret
      assert.notStrictEqual(Redacted.value(rotated.client_secret), "mine")
      yield* control.reset()
      const { client_secret } = yield* control.credentials
      assert.strictEqual(Redacted.value(client_secret), "mine")
    }
  )
})

describe("reset", () => {
  test("restores the initial state, and its ids unless told", function* ({ control, sandbox }) {
    const before = {
      wallets: yield* sandbox.wallets,
      ledger: yield* sandbox.ledger,
      credentials: yield* sandbox.credentials
    }
    const used = Effect.gen(function* () {
      yield* collected("one")
      yield* sandbox.advance({ seconds: 86_400 })
      yield* sandbox.faults.add(Fault.dropBefore())
    })
    const now = yield* sandbox.clock
    yield* used
    yield* control.reset()
    assert.deepStrictEqual(yield* sandbox.wallets, before.wallets)
    assert.deepStrictEqual(yield* sandbox.ledger, before.ledger)
    assert.deepStrictEqual(yield* sandbox.credentials, before.credentials)
    assert.deepStrictEqual(yield* sandbox.clock, now)
    for (const list of [
      sandbox.paymentIntents,
      sandbox.transactions,
      sandbox.exchanges,
      sandbox.faults.pending
    ]) {
      assert.lengthOf(yield* list, 0)
    }
    yield* control.reset({ seed: "other" })
    const [other] = yield* sandbox.wallets
    assert.notStrictEqual(other?.id, before.wallets[0]?.id)
    yield* collected("two")
  })

  const operations = Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
    Effect.map(exchanges, (all) => all.map(({ operation }) => operation))
  )
  const listWith = (token: string) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const headers = { authorization: `Bearer ${token}` }
      return (yield* send(`${baseUrl}/transactions`, { method: "GET", headers })).status
    })

  test("keeps tokens for a shared client, and has the same ids", function* ({ sandbox, payments }) {
    const ids = new Set<string>()
    for (let round = 1; round <= 100; round++) {
      ids.add((yield* payments.create(collection, { key })).id)
      const expected = round === 1 ? ["Token.obtain", "Payments.create"] : ["Payments.create"]
      assert.deepStrictEqual(yield* operations, expected)
      yield* sandbox.reset()
    }
    assert.strictEqual(ids.size, 1)
  })

  test("keeps a token for at most its lifetime", function* ({ sandbox }) {
    yield* sandbox.advance({ seconds: 86_400 })
    const { access_token } = yield* obtain
    yield* sandbox.reset()
    yield* sandbox.advance({ seconds: 3540 })
    assert.strictEqual(yield* listWith(access_token), 200)
    yield* sandbox.advance({ seconds: 60 })
    assert.strictEqual(yield* listWith(access_token), 401)
  })

  test("keeps no token that was revoked or issued to another secret", function* ({ sandbox }) {
    const revoked = yield* obtain
    yield* sandbox.revokeTokens
    yield* sandbox.reset()
    assert.strictEqual(yield* listWith(revoked.access_token), 401)
    yield* sandbox.rotateSecret
    const ofOther = yield* obtain
    assert.strictEqual(yield* listWith(ofOther.access_token), 200)
    yield* sandbox.reset()
    assert.strictEqual(yield* listWith(ofOther.access_token), 401)
  })
})

describe("requests", () => {
  test("are listed newest first, with bodies only on demand", function* ({ control, payments }) {
    yield* payments.create(collection, { key })
    yield* payments.create(collection, { key })
    const [second, first, token] = yield* control.requests()
    assert.deepInclude(second, { operation: "Payments.create", key, status: 201, replay: true })
    assert.deepInclude(first, { index: 1, replay: false, ending: "answered" })
    assert.deepInclude(first, { body: null, response: null })
    assert.deepInclude(token, { operation: "Token.obtain", path: "/api/v1/auth/application/token" })
    const { text } = yield* send(yield* controlUrl("/requests"), {})
    assert.notInclude(text, phone)
    const [shown, ...rest] = yield* control.requests({ bodies: true, limit: 1 })
    assert.lengthOf(rest, 0)
    assert.deepInclude(JSON.parse(shown?.body ?? ""), { payer: { phone_number: phone } })
    assert.deepStrictEqual(yield* control.request({ index: 2 }), shown)
  })

  test("have the ids, the reference and the error of responses", function* ({ control, payments }) {
    yield* payments.create(collection, { key })
    yield* control.faults.add(Fault.dropAfter({ operation: "Payments.get" }))
    const read = sendAuthorised("/payments/x", { headers: { "x-correlation-id": unknownId } })
    yield* Effect.exit(read)
    yield* read
    const all = yield* control.requests({ bodies: true })
    const [refused, lost, made] = all.filter(({ operation }) => operation !== "Token.obtain")
    assert.deepInclude(refused, { status: 422, correlation_id: unknownId, reference: null })
    assert.deepInclude(refused?.error, { code: "VALIDATION_FAILED" })
    assert.include(JSON.stringify(refused?.error?.details), "paymentIntent")
    assert.strictEqual(JSON.parse(refused?.response ?? "").meta.correlation_id, unknownId)
    assert.strictEqual(refused?.response_bytes, refused?.response?.length)
    // The caller of a lost response knows only the id that it sent.
    assert.deepInclude(lost, { correlation_id: unknownId, error: null, response: null })
    assert.strictEqual(made?.reference, JSON.parse(made?.response ?? "").data.reference)
  })

  test("have no secrets in their bodies", function* ({ control, payments, sandbox: { baseUrl } }) {
    const otp_code = 'quoted " 123456'
    yield* payments.create({ ...collection, payer: { ...collection.payer, otp_code } }, { key })
    const [payment, token] = yield* control.requests({ bodies: true })
    assert.deepInclude(JSON.parse(payment?.body ?? "").payer, { otp_code: "***" })
    assert.deepInclude(JSON.parse(token?.body ?? ""), { client_secret: "***" })
    assert.deepInclude(JSON.parse(token?.response ?? "").data, { access_token: "***" })
    for (const text of [`{"otp_code": 424242}`, "client_id=a&client_secret=424242&b=c"]) {
      yield* send(`${baseUrl}/payments`, { method: "POST", text })
      const [refused] = yield* control.requests({ bodies: true, limit: 1 })
      assert.notInclude(refused?.body, "424242")
      assert.include(refused?.body, "***")
    }
  })

  tests({ lenient: true })("have what the service may refuse", function* ({ control, payments }) {
    const other = { ...collection, payment_method: "mtn-momo", payer: { phone_number: "abc" } }
    yield* payments.create(other, { key })
    const [request] = yield* control.requests()
    assert.deepStrictEqual(request?.warnings, [
      `payment_method "mtn-momo" is not in the catalogue of Benin; did you mean mtn_momo?`,
      "payer.phone_number is not a phone number with its country code, such as +2290100000000"
    ])
  })

  test("are refused for it by default", function* ({ payments }) {
    const error = yield* Effect.flip(
      payments.create({ ...collection, payment_method: "mtn-momo" }, { key })
    )
    assert.deepInclude(error, { _tag: "UnprocessableError", code: "NOT_LISTED" })
    assert.include(error.message, "did you mean mtn_momo?")
  })
})

describe("resources", () => {
  test("of each kind are listed newest first", function* ({
    control,
    paymentLinks: links,
    payouts,
    sandbox
  }) {
    yield* collected("one")
    const transaction = yield* collected("two")
    yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
    yield* sandbox.refund({ transaction: transaction.reference })
    yield* links.create(link)
    const all = yield* control.resources()
    assert.deepStrictEqual(
      Object.entries(all).map(([kind, rows]) => [kind, rows.length]),
      [
        ["payments", 2],
        ["payouts", 1],
        ["transactions", 2],
        ["refunds", 1],
        ["payment_links", 1],
        ["cards", 0],
        ["cardholders", 3]
      ]
    )
    const [newest] = yield* Effect.map(sandbox.paymentIntents, (intents) => intents.slice(-1))
    assert.strictEqual(all.payments[0]?.idempotency_key, newest?.idempotency_key)
    const one = yield* control.resources({ limit: 1 })
    assert.deepStrictEqual(one.payments, all.payments.slice(0, 1))
  })
})

describe("resources of an idempotency key", () => {
  test("are found however many came later", function* ({ control, payouts, cards }) {
    yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
    yield* cards.issue(yield* cardFrom(), { key })
    yield* collected("one")
    yield* collected("two")
    const list = (urlParams: { readonly limit: number; readonly key?: string }) =>
      control.resources(urlParams)
    const { payments } = yield* list({ limit: 2 })
    const first = payments[1]?.idempotency_key ?? ""
    const ofFirst = yield* list({ limit: 1, key: first })
    assert.deepStrictEqual(ofFirst, {
      payments: payments.slice(1),
      payouts: [],
      transactions: [],
      refunds: [],
      payment_links: [],
      cards: [],
      cardholders: []
    })
    const ofKey = yield* list({ limit: 1, key })
    assert.deepStrictEqual(
      [ofKey.payments.length, ofKey.payouts.length, ofKey.cards.length],
      [0, 1, 1]
    )
  })
})

describe("money", () => {
  test("is read from the ledger and the wallets", function* ({ control, sandbox }) {
    yield* collected("one")
    const ledger = yield* sandbox.ledger
    const read = yield* control.statement({ limit: 2 })
    assert.deepStrictEqual(
      { ...read, journal: [...read.journal] },
      {
        balances: [...ledger.balances],
        entries: ledger.journal.length,
        journal: ledger.journal.slice(-2)
      }
    )
    assert.deepStrictEqual(yield* control.wallets, yield* sandbox.wallets)
  })

  for (const by of ["id", "reference"] as const) {
    test(`settles a payment, a payout and a refund once, by its ${by}, with any status`, function* ({
      control,
      payments: { create },
      payouts
    }) {
      const transaction = yield* collected("refunded")
      const before = yield* walletIn("XOF")
      yield* create(collection, { key })
      yield* payouts.create(payoutFrom(before), { key })
      yield* control.refund({ transaction: transaction.reference })
      const { payments, payouts: made, refunds } = yield* control.resources({})
      for (const [row = assert.fail("nothing was made")] of [payments, made, refunds]) {
        const resource = row[by] ?? assert.fail("no id")
        const settled = yield* control.settle({ resource, status: "EXPIRED" })
        assert.deepStrictEqual(settled, { reference: row.reference, status: "EXPIRED" })
        const again = yield* Effect.flip(control.settle({ resource }))
        assert.strictEqual(codeOf(again), "NOT_PENDING")
      }
      assert.deepStrictEqual(yield* walletIn("XOF"), before)
    })
  }

  test("is refunded and collected from links", function* ({ control, paymentLinks: links }) {
    const { reference } = yield* collected("one")
    const refund = (amount: string) =>
      control.refund({ transaction: reference, amount, reason: "Returned" })
    const { amount, reason } = yield* refund("1000")
    assert.deepStrictEqual([String(amount), reason], ["1000.0000", "Returned"])
    const tooMuch = yield* Effect.flip(refund("501"))
    assert.deepInclude(tooMuch, { _tag: "ControlError", code: "REFUND_TOO_LARGE" })
    const zero = yield* refusal("POST", "/refunds", {
      body: { transaction: reference, amount: "0" }
    })
    const fields = zero.issues.map(({ field }) => field)
    assert.deepStrictEqual(fields, ["amount"])
    const { id } = yield* links.create({
      amount: "100",
      currency: "XOF",
      country: "BJ",
      description: "Shoes",
      max_uses: 1
    })
    const pay = control.payLink({ id, phone_number: phone })
    assert.strictEqual((yield* pay).amount, "100.0000")
    assert.strictEqual(codeOf(yield* Effect.flip(pay)), "LINK_NOT_ACTIVE")
  })
})

describe("faults", () => {
  test("are added, listed as they were added, and removed", function* ({ control }) {
    const rules = [
      { fault: "drop_before", count: "always" },
      {
        fault: "drop_after",
        count: 2,
        probability: 0.5,
        seed: 3,
        operation: "Payouts.create",
        header: { name: "X-Test", value: "1" },
        field: { name: "amount", value: "5" }
      },
      { fault: "delay", count: 1, milliseconds: 250 },
      {
        fault: "status",
        count: 1,
        status: 503,
        retry_after: 2,
        body: "busy",
        content_type: "text/plain",
        processed: true
      },
      { fault: "body", count: 1, body: "<html>", content_type: "text/html" }
    ]
    for (const body of rules) {
      const { status } = yield* send(yield* controlUrl("/faults"), { method: "POST", body })
      assert.strictEqual(status, 201)
    }
    const listed = yield* control.faults.pending
    const shown: ReadonlyArray<unknown> = listed.map(({ rule }) => rule)
    assert.deepStrictEqual(shown, rules)
    for (const { id } of listed) yield* control.faults.remove({ id })
    assert.lengthOf(yield* control.faults.pending, 0)
    const gone = yield* Effect.flip(control.faults.remove({ id: "fault-1" }))
    assert.deepInclude(gone, { status: 404 })
  })

  test("apply to requests with their header and their field", function* ({ control, sandbox }) {
    const add = (target: Fault.Target, status: number) =>
      control.faults.add(Fault.status(status, { count: "always", ...target }))
    yield* add({ header: { name: "X-Load", value: "heavy" } }, 503)
    yield* add({ header: { name: "x-any" } }, 429)
    yield* add({ field: { name: "payer.phone_number", value: phone } }, 500)
    const status = (headers: Record<string, string>, body: unknown) =>
      send(`${sandbox.baseUrl}/payments`, { method: "POST", headers, body }).pipe(
        Effect.map((response) => response.status)
      )
    assert.strictEqual(yield* status({ "x-load": "heavy" }, {}), 503)
    assert.strictEqual(yield* status({ "x-load": "light" }, {}), 401)
    assert.strictEqual(yield* status({ "x-any": "" }, {}), 429)
    assert.strictEqual(yield* status({}, { payer: { phone_number: phone } }), 500)
    assert.strictEqual(yield* status({}, { payer: { phone_number: "1" } }), 401)
    assert.strictEqual(yield* status({}, "not an object"), 401)
  })

  test("with a probability repeat and count what they apply to", function* ({ sandbox, control }) {
    const statuses = (seed: number) =>
      Effect.gen(function* () {
        yield* control.reset()
        const payload = { fault: "status", status: 503, count: 20, probability: 0.3, seed } as const
        yield* control.faults.add(payload)
        return yield* Effect.forEach(Array.from({ length: 200 }), () =>
          Effect.map(send(`${sandbox.baseUrl}/services`, {}), ({ status }) => status)
        )
      })
    const first = yield* statuses(1)
    assert.deepStrictEqual(yield* statuses(1), first)
    assert.notDeepEqual(yield* statuses(2), first)
    const lastFault = first.lastIndexOf(503)
    const failed = first.filter((status) => status === 503)
    assert.lengthOf(failed, 20)
    assert.isAbove(lastFault, 30)
    assert.isBelow(lastFault, 150)
  })

  test("are limited in number", function* ({ sandbox }) {
    const some = Array.from({ length: ControlApi.maxFaults }, () => Fault.dropBefore())
    yield* Effect.forEach(some, sandbox.faults.add)
    const { code } = yield* refusal("POST", "/faults", { body: { fault: "drop_before" } })
    assert.strictEqual(code, "TOO_MANY_FAULTS")
  })
})

describe("the clock", () => {
  test("advances settlements and tokens by itself", function* ({ control, payments, sandbox }) {
    const { id } = yield* payments.create(collection, { key })
    const before = Date.parse((yield* control.clock).now)
    const after = Date.parse((yield* control.advance({ seconds: 1.5 })).now)
    assert.strictEqual(after - before, 1500)
    assert.strictEqual((yield* payments.get(id)).status, "PENDING")
    yield* TestClock.adjust("500 millis")
    const settled = yield* payments.get(id)
    assert.strictEqual(settled.status, "COMPLETED")
    assert.strictEqual(Date.parse(settled.updated_at ?? ""), before + 2000)

    yield* control.advance({ seconds: 3600 })
    yield* payments.get(id)
    const exchanges = yield* sandbox.exchanges
    const ends = exchanges.slice(-3).map(({ operation, ending }) => `${operation} ${ending}`)
    assert.deepStrictEqual(ends, ["Payments.get 401", "Token.obtain 200", "Payments.get 200"])
    assert.strictEqual(yield* Clock.currentTimeMillis, 500)
  })

  test("settles what 30 days bring, in its order", function* ({ control, payments, sandbox }) {
    for (let n = 0; n < 20; n++) {
      yield* payments.create(collection, { key: IdempotencyKey.derive("order", String(n)) })
      yield* sandbox.advance({ seconds: 1 })
    }
    yield* control.advance({ seconds: 30 * 86_400 })
    const times = (yield* sandbox.transactions).map(({ completed_at }) => completed_at)
    assert.lengthOf(times, 20)
    assert.deepStrictEqual(times, [...times].sort())
    const seconds = 36_525 * 86_400
    const tooFar = yield* refusal("POST", "/clock/advance", { body: { seconds } })
    assert.strictEqual(tooFar.code, "CLOCK_TOO_FAR")
    const fields = tooFar.issues.map(({ field }) => field)
    assert.deepStrictEqual(fields, ["seconds"])
  })
})

describe("the profile of idempotency", () => {
  tests({ idempotency: { failures: "replay" } })(
    "is read and replaced while the sandbox runs, and a reset restores the first",
    function* ({ control, sandbox }) {
      const pay = (amount: string) =>
        Effect.map(
          sendAuthorised("/payments", {
            method: "POST",
            headers: { "idempotency-key": "order-1" },
            body: { ...collection, amount }
          }),
          ({ status }) => status
        )
      const initial = {
        other_body: 422,
        in_flight: "replay",
        failures: "replay",
        retention_seconds: null
      } as const
      assert.deepStrictEqual(yield* control.idempotency, initial)
      assert.strictEqual(yield* pay("1500"), 201)
      assert.strictEqual(yield* pay("1600"), 422)

      const changed = yield* control.setIdempotency({ other_body: 409 })
      assert.deepStrictEqual(changed, { ...initial, other_body: 409, failures: "again" })
      assert.deepStrictEqual(yield* control.idempotency, changed)
      assert.strictEqual(yield* pay("1600"), 409)

      yield* control.restore(yield* control.snapshot)
      assert.strictEqual(yield* pay("1600"), 409)

      yield* control.setIdempotency({ other_body: "replay", retention_seconds: 60 })
      assert.strictEqual(yield* pay("1600"), 201)
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
      yield* control.advance({ seconds: 60 })
      assert.strictEqual(yield* pay("1600"), 201)
      assert.lengthOf(yield* sandbox.paymentIntents, 2)

      yield* control.reset()
      assert.deepStrictEqual(yield* control.idempotency, initial)
    }
  )

  test("decides about a request whose key is in flight", function* ({ control, sandbox }) {
    yield* control.setIdempotency({ in_flight: 409 })
    yield* sandbox.faults.add(Fault.delay("1 minute", { operation: "Payments.create" }))
    const pay = sendAuthorised("/payments", {
      method: "POST",
      headers: { "idempotency-key": "order-1" },
      body: collection
    })
    const first = yield* Effect.fork(pay)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* pay).status, 409)
    yield* control.setIdempotency()
    assert.strictEqual((yield* pay).status, 201)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* Fiber.join(first)).status, 201)
  })
})

describe("bad input", () => {
  const header = { name: "x\ny" }
  for (const [method, path, body, fields] of [
    ["POST", "/reset", { sead: 1 }, ["sead"]],
    ["POST", "/reset", { seed: null }, ["seed"]],
    ["POST", "/reset", [], ["request"]],
    ["GET", "/requests?limit=0", undefined, ["urlParams.limit"]],
    ["GET", "/requests?limit=1.5", undefined, ["urlParams.limit"]],
    ["GET", "/requests?bodies=1", undefined, ["urlParams.bodies"]],
    ["GET", "/requests/-1", undefined, ["path.index"]],
    ["GET", "/resources?limit=0", undefined, ["urlParams.limit"]],
    ["GET", "/ledger?limit=1001", undefined, ["urlParams.limit"]],
    ["GET", "/ledger?page=2", undefined, ["urlParams.page"]],
    [
      "PUT",
      "/idempotency",
      { other_body: 200, retention_seconds: -1, failure: "again" },
      ["failure", "other_body", "retention_seconds"]
    ],
    ["POST", "/clock/advance", {}, ["seconds"]],
    ["POST", "/clock/advance", { seconds: -1 }, ["seconds"]],
    ["POST", "/clock/advance", { seconds: "1" }, ["seconds"]],
    ["POST", "/faults", {}, ["fault"]],
    ["POST", "/faults", { fault: "delay" }, ["milliseconds"]],
    ["POST", "/faults", { fault: "status", status: 199 }, ["status"]],
    [
      "POST",
      "/faults",
      { fault: "drop_after", count: 0, probability: 2 },
      ["count", "probability"]
    ],
    ["POST", "/faults", { fault: "drop_after", header }, ["header.name"]],
    ["POST", "/faults", { fault: "drop_after", operation: "Pay" }, ["operation"]],
    ["POST", `/resources/${unknownId}/settle`, { status: "PENDING" }, ["status"]],
    ["POST", `/resources/${unknownId}/settle`, { status: "" }, ["status"]],
    ["POST", "/refunds", { amount: "1,5" }, ["transaction", "amount"]],
    ["POST", "/refunds", { transaction: "TRX-1" }, ["transaction"]]
  ] as const) {
    test(`is a 422 that names the fields: ${method} ${path} ${JSON.stringify(body) ?? ""}`, function* () {
      const { issues, status } = yield* refusal(method, path, { body })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(issues.map(({ field }) => field).sort(), [...fields].sort())
    })
  }

  test("that is not JSON is a 422", function* () {
    const { issues } = yield* refusal("POST", "/reset", { text: "{" })
    assert.deepStrictEqual(issues, [{ field: "request", rule: "must be JSON" }])
  })

  test("with an unknown fault gets the list of faults", function* () {
    const { issues } = yield* refusal("POST", "/faults", { body: { fault: "explode" } })
    const names = ["drop_before", "drop_after", "delay", "status", "body", "scenario"]
    const rule = `must be ${names.map((name) => `"${name}"`).join(" or ")}`
    assert.deepStrictEqual(issues, [{ field: "fault", rule }])
  })

  test("with an unknown setting of idempotency gets the allowed values", function* () {
    const body = { other_body: "409", in_flight: "retry", failures: 422, retention_seconds: "1" }
    const { issues } = yield* refusal("PUT", "/idempotency", { body })
    assert.deepStrictEqual(issues, [
      { field: "other_body", rule: `must be one of 422, 409, "replay"` },
      { field: "in_flight", rule: `must be one of "replay", 409, "wait"` },
      { field: "failures", rule: `must be one of "again", "replay"` },
      { field: "retention_seconds", rule: "must be a number from 0 to 3155760000 or null" }
    ])
  })

  for (const [method, path] of [
    ["GET", "/unknown"],
    ["GET", "/reset"],
    ["GET", "/requests/0"],
    ["DELETE", "/faults/fault-9"],
    ["POST", `/resources/${unknownId}/settle`]
  ] as const) {
    test(`is a 404 for what does not exist: ${method} ${path}`, function* ({ sandbox }) {
      assert.strictEqual((yield* refusal(method, path)).status, 404)
      assert.lengthOf(yield* sandbox.exchanges, 0)
    })
  }
})

/** The status of a request with these headers, `Host` among them. */
const statusOf = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.async<number | undefined>((resume) => {
    request(url, { headers }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end()
  })

/** The status of a request with a body that is not sent. */
const statusBeforeBody = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.async<number | undefined>((resume) => {
    const sent = request(url, { method: "PUT", headers }, (response) => {
      resume(Effect.succeed(response.statusCode))
      sent.destroy()
    })
    sent.flushHeaders()
  })

describe("pages of other sites", () => {
  Test.live("cannot use the control API, by origin or by a name of this machine", function* () {
    const sandbox = yield* SandboxServer.make()
    const url = `${originOf(sandbox)}${ControlApi.root}/health`
    const { host, port } = new URL(url)
    for (const [headers, status] of [
      [{}, 200],
      [{ host: `localhost:${port}` }, 200],
      [{ host: `[::1]:${port}` }, 200],
      [{ host: `my.localhost:${port}` }, 200],
      [{ origin: `http://${host}` }, 200],
      [{ "sec-fetch-site": "none" }, 200],
      [{ host: "attacker.example" }, 403],
      [{ host: `localhost.attacker.example:${port}` }, 403],
      [{ host: "attacker.example", origin: "http://attacker.example" }, 403],
      [{ origin: "http://attacker.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: `https://${host}` }, 403],
      [{ origin: "http://127.0.0.1:1" }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403]
    ] as const) {
      assert.strictEqual(yield* statusOf(url, headers), status, JSON.stringify(headers))
    }
  })

  Test.live("cannot use a name that is allowed for other containers", function* () {
    const sandbox = yield* SandboxServer.make({ allowHosts: ["Sandbox", "pay.test"] })
    const url = `${originOf(sandbox)}${ControlApi.root}/health`
    const { port } = new URL(url)
    for (const [headers, status] of [
      [{ host: `sandbox:${port}` }, 200],
      [{ host: `SANDBOX:${port}`, origin: `http://SANDBOX:${port}` }, 200],
      [{ host: "pay.test" }, 200],
      [{ host: "sandbox.attacker.example" }, 403],
      [{ host: "attacker.pay.test" }, 403],
      [{ host: `sandbox:${port}`, origin: "http://attacker.example" }, 403],
      [{ host: `sandbox:${port}`, "sec-fetch-site": "cross-site" }, 403]
    ] as const) {
      assert.strictEqual(yield* statusOf(url, headers), status, JSON.stringify(headers))
    }
  })

  Test.live("are refused before their body is read, as all are where it is off", function* () {
    const on = yield* SandboxServer.make()
    const off = yield* SandboxServer.make({ control: false })
    for (const [sandbox, origin] of [
      [on, "http://attacker.example"],
      [off, originOf(off)]
    ] as const) {
      const headers = { origin, "content-length": String(400 * 1024 * 1024) }
      assert.strictEqual(
        yield* statusBeforeBody(`${originOf(sandbox)}/_sandbox/snapshot`, headers),
        403
      )
    }
  })

  Test.live("find it off where other machines reach it, unless it is asked for", function* () {
    const host = "0.0.0.0"
    const off = yield* SandboxServer.make({ host })
    const on = yield* SandboxServer.make({ host, control: true })
    const health = (sandbox: Sandbox.Service) =>
      statusOf(`${originOf(sandbox)}${ControlApi.root}/health`, {})
    assert.strictEqual(yield* health(off), 403)
    assert.strictEqual(yield* health(on), 200)
    assert.match(on.baseUrl, /^http:\/\/127\.0\.0\.1:/)
  })
})
