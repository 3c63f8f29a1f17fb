import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import {
  cardFrom,
  collection,
  layer,
  link,
  payoutFrom,
  walletIn
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as curl from "./utils/curl.js"
import { decodeFailure, send, sendAuthorised } from "./utils/harness.js"
import * as services from "./utils/service.js"

const originOf = ({ baseUrl }: Sandbox.Service) => baseUrl.slice(0, -ServiceApi.root.length)

describe("the OpenAPI document", () => {
  it.effect("is served without a token and lists every operation", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { headers, status, text } = yield* send(`${originOf(sandbox)}/openapi.json`, {})
      assert.strictEqual(status, 200)
      assert.match(headers["content-type"] ?? "", /^application\/json/)
      const document = OpenApiDocument.make({ baseUrl: ServiceApi.root })
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(document)))
      for (const [name, { method, path }] of ServiceApi.operations) {
        const described = document.paths[path.replace(/:(\w+)/g, "{$1}")]
        assert.include(JSON.stringify(described), `"operationId":"${name}"`)
        assert.property(described, method.toLowerCase())
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("the page", () => {
  it.effect("documents the request and the response of every operation", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { headers, status, text } = yield* send(`${originOf(sandbox)}/docs`, {})
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      const sections = text.split("<section ").slice(1)
      assert.lengthOf(sections, ServiceApi.operations.size)
      for (const [name, operation] of ServiceApi.operations) {
        const { access, replay } = operation
        const section = sections.find((one) => one.startsWith(`id="${name}"`)) ?? ""
        assert.include(section, operation.method)
        assert.include(section, operation.path.replace(/:(\w+)/g, "{$1}"))
        assert.include(section, replay._tag)
        assert.match(section, /<td data-label="Status">401<\/td>/)
        if (access !== "bearer" && access !== "credentials") assert.include(section, access)
        assert.include(section, "<code>success</code>")
      }
      for (const member of ["payer.phone_number", "data.data[].net_amount", "per_page"]) {
        assert.include(text, `<code>${member}</code>`)
      }
      // No rule shows the redaction of secrets in the code.
      assert.notInclude(text, "Redacted")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("has no script, and loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { headers, text } = yield* send(`${originOf(sandbox)}/docs`, {})
      assert.notMatch(text, /<script|<style|<img|<iframe|https?:/)
      assert.include(headers["content-security-policy"], "default-src 'none'; style-src 'self'")
    }).pipe(Effect.provide(layer()))
  )

  it("has a line for curl that works for every operation", async () => {
    const service = await services.start({ seed: 1 })
    const { sandbox, origin } = service
    const text = await fetch(`${origin}/docs`).then((response) => response.text())
    const { client_id: clientId, client_secret: clientSecret } = await Effect.runPromise(
      sandbox.credentials
    )
    await service.pay("order-1")
    await service.createLink()
    const [payment] = await Effect.runPromise(sandbox.paymentIntents)
    if (payment === undefined) return assert.fail("no payment")
    await Effect.runPromise(sandbox.settlePayment({ id: payment.id }))
    const [transaction] = await Effect.runPromise(sandbox.transactions)
    if (transaction === undefined) return assert.fail("no transaction")
    const refund = await Effect.runPromise(sandbox.refund({ transaction: transaction.reference }))
    const [wallet] = await Effect.runPromise(sandbox.wallets)
    const [holder] = await Effect.runPromise(sandbox.cardholders)
    const [link] = await Effect.runPromise(sandbox.paymentLinks)
    const variables = new Map<string, string>([
      ["MANILLA_BASE_URL", sandbox.baseUrl],
      ["MANILLA_AUTH_URL", sandbox.authUrl],
      ["MANILLA_CLIENT_ID", clientId],
      ["MANILLA_CLIENT_SECRET", Redacted.value(clientSecret)],
      ["MANILLA_WALLET_ID", wallet?.id ?? ""],
      ["CARDHOLDER", holder?.id ?? ""],
      ["PAYMENT_INTENT", payment.id],
      ["PAYMENT_LINK", link?.id ?? ""],
      ["VIRTUAL_CARD_CUSTOMER", holder?.id ?? ""]
    ])
    const lines = new Map(
      Array.from(text.matchAll(/<section id="([^"]+)">[\s\S]*?<pre>(.*)<\/pre>/g), (found) => [
        found[1] ?? "",
        (found[2] ?? "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      ])
    )
    assert.deepStrictEqual([...lines.keys()], [...ServiceApi.operations.keys()])
    // The token is obtained first, though it is the last operation of the page.
    for (const name of ["Token.obtain", ...lines.keys()]) {
      const line = lines.get(name) ?? ""
      const [, assigned, call = line, path] =
        /^(\w+)=\$\((.*) \| jq -r '([^']+)'\)$/.exec(line) ?? []
      if (name === "Transactions.get") variables.set("REFERENCE", transaction.reference)
      if (name === "Payouts.get") {
        const [payout] = await Effect.runPromise(sandbox.payouts)
        variables.set("REFERENCE", payout?.reference ?? "")
      }
      if (name === "Refunds.get") variables.set("REFERENCE", refund.reference)
      const response = await curl.send(curl.wordsOf(call, variables))
      assert.isTrue(response?.ok, `${name}: ${await response?.clone().text()}`)
      if (assigned !== undefined && path !== undefined) {
        variables.set(assigned, curl.select(await response?.json(), path))
      }
    }
    await service.close()
  })
})

/** The codes that the page documents, by operation. */
const documented = Effect.gen(function* () {
  const { text } = yield* send(`${originOf(yield* Sandbox.Sandbox)}/docs`, {})
  return new Map(
    text
      .split('<section id="')
      .slice(1)
      .map((section) => [
        section.slice(0, section.indexOf('"')),
        Array.from(
          section.matchAll(/<td data-label="Code"><code>(\w+)<\/code>/g),
          ([, code]) => code ?? ""
        )
      ])
  )
})

/** Codes that do not depend on the rules of an operation. */
const general = [
  "INVALID_CREDENTIALS",
  "UNAUTHENTICATED",
  "ACCOUNT_STATE",
  "INSUFFICIENT_SCOPE",
  "VALIDATION_FAILED",
  "NOT_FOUND",
  "IDEMPOTENCY_KEY_IN_FLIGHT"
]

describe("the errors of the page", () => {
  it.effect("are those of the operation's access, input and key", () =>
    Effect.gen(function* () {
      const codes = yield* documented
      assert.sameMembers([...codes.keys()], [...ServiceApi.operations.keys()])
      const of = (name: string) => (codes.get(name) ?? []).filter((code) => general.includes(code))
      assert.deepStrictEqual(of("Token.obtain"), [
        "INVALID_CREDENTIALS",
        "ACCOUNT_STATE",
        "VALIDATION_FAILED"
      ])
      assert.deepStrictEqual(of("Catalogue.list"), ["UNAUTHENTICATED", "ACCOUNT_STATE"])
      assert.deepStrictEqual(of("Payments.create"), [
        "UNAUTHENTICATED",
        "ACCOUNT_STATE",
        "INSUFFICIENT_SCOPE",
        "VALIDATION_FAILED",
        "IDEMPOTENCY_KEY_IN_FLIGHT"
      ])
      assert.include(of("Payments.get"), "NOT_FOUND")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("are the refusals that the rules of each operation make", () =>
    Effect.gen(function* () {
      const xof = yield* walletIn("XOF")
      const payout = payoutFrom(xof)
      const card = { ...(yield* cardFrom()), idempotency_key: "card" }
      const { id: gbp } = yield* walletIn("GBP")
      const unknown = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"
      const provoking: ReadonlyArray<readonly [path: string, code: string, body: object]> = [
        ["/payments", "SERVICE_UNAVAILABLE", { ...collection, payment_method: "moov_money" }],
        ["/payments", "IDEMPOTENCY_KEY_REUSED", { ...collection, amount: "1600" }],
        ["/payouts", "WALLET_NOT_FOUND", { ...payout, wallet_id: unknown }],
        ["/payouts", "CURRENCY_MISMATCH", { ...payout, currency: "XAF" }],
        ["/payouts", "SERVICE_UNAVAILABLE", { ...payout, payment_method: "moov_money" }],
        ["/payouts", "INSUFFICIENT_FUNDS", { ...payout, amount: "1000000" }],
        ["/payouts", "IDEMPOTENCY_KEY_REUSED", { ...payout, amount: "100" }],
        ["/payment-links", "EXPIRES_IN_THE_PAST", { ...link, expires_at: "1969-01-01T00:00:00Z" }],
        ["/cards", "CARDHOLDER_NOT_FOUND", { ...card, customer_id: unknown }],
        ["/cards", "WALLET_NOT_FOUND", { ...card, wallet_id: unknown }],
        ["/cards", "CURRENCY_MISMATCH", { ...card, debit_currency: "XAF" }],
        ["/cards", "CURRENCY_NOT_SUPPORTED", { ...card, wallet_id: gbp, debit_currency: "GBP" }],
        ["/cards", "INSUFFICIENT_FUNDS", { ...card, initial_balance: "1000000" }],
        ["/cards", "IDEMPOTENCY_KEY_REUSED", { ...card, initial_balance: "11" }]
      ]
      const good = { "/payments": collection, "/payouts": payout, "/cards": card }
      const post = (path: string, body: object, key: string) =>
        sendAuthorised(path, {
          method: "POST",
          headers: { "idempotency-key": key },
          body: path === "/cards" ? { ...body, idempotency_key: key } : body
        })
      for (const [path, body] of Object.entries(good)) yield* post(path, body, "used")
      for (const [path, code, body] of provoking) {
        const key = code === "IDEMPOTENCY_KEY_REUSED" ? "used" : `${path} ${code}`
        const { text } = yield* post(path, body, key)
        assert.strictEqual(decodeFailure(text).data.error.code, code, path)
      }
      for (const [name, codes] of yield* documented) {
        const operation = ServiceApi.operations.get(name)
        assert.sameMembers(
          codes.filter((code) => !general.includes(code)),
          provoking
            .filter(([path]) => operation?.method === "POST" && operation.path === path)
            .map(([, code]) => code),
          name
        )
      }
    }).pipe(
      Effect.provide(
        layer({
          wallets: [
            { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("50000") },
            { currency: Currency.Currency.make("GBP"), balance: Amount.Amount.make("50000") }
          ],
          services: (["COLLECTION", "PAYOUT"] as const).map((operation) => ({
            country: { code: Country.Country.make("BJ"), name: "Benin" },
            currency: { code: Currency.Currency.make("XOF"), name: "West African CFA franc" },
            operation,
            payment_method: "moov_money",
            available: false
          }))
        })
      )
    )
  )
})

describe("the documentation routes", () => {
  it.effect("bypass the exchange log and faults, on the main gateway only", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* send(`${originOf(sandbox)}/docs`, {})
      yield* send(`${originOf(sandbox)}/openapi.json`, {})
      assert.lengthOf(yield* sandbox.exchanges, 0)
      const account = sandbox.authUrl.slice(0, -ServiceApi.root.length)
      for (const url of [`${account}/docs`, `${sandbox.baseUrl}/docs`]) {
        assert.strictEqual((yield* send(url, {})).status, 404)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("are served on sockets", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxServer.make()
      for (const path of ["/docs", "/openapi.json"]) {
        const response = yield* Effect.promise(() => fetch(originOf(sandbox) + path))
        assert.strictEqual(response.status, 200)
        assert.isAbove((yield* Effect.promise(() => response.text())).length, 1000)
      }
    }).pipe(Effect.scoped)
  )
})
