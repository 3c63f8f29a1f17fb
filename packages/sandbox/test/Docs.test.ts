import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import { layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as curl from "./utils/curl.js"
import { send } from "./utils/harness.js"
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
    const { clientId, clientSecret } = await Effect.runPromise(sandbox.credentials)
    await service.pay("order-1")
    await service.createLink()
    const [payment] = await Effect.runPromise(sandbox.paymentIntents)
    if (payment === undefined) return assert.fail("no payment")
    await Effect.runPromise(sandbox.settle(payment.id))
    const [transaction] = await Effect.runPromise(sandbox.transactions)
    if (transaction === undefined) return assert.fail("no transaction")
    const refund = await Effect.runPromise(sandbox.refund(transaction.reference))
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
