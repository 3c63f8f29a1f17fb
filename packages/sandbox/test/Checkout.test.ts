// The hosted page of a payment link, without a browser: the routes behind it.
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as services from "./utils/service.js"

let service: services.Service

beforeAll(async () => {
  service = await services.start()
})
afterAll(() => service.close())

/** The link as its page reads it. */
const read = async (url: string, attempt?: string) => {
  const query = attempt === undefined ? "" : `?attempt=${encodeURIComponent(attempt)}`
  const response = await fetch(`${url}/link${query}`)
  return { status: response.status, json: await response.json() }
}

const pay = async (
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) => {
  const response = await fetch(`${url}/pay`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(fields)
  })
  return { status: response.status, json: await response.json() }
}

const codeOf = ({ json }: Awaited<ReturnType<typeof pay>>) => json.data.error.code

const phone_number = "+2290100000000"

const transactions = () => Effect.runPromise(service.sandbox.transactions)

describe("the hosted page of a payment link", () => {
  it("says what is paid, and takes one payment for each attempt", async () => {
    const metadata = { merchant: "Chez Awa" }
    const url = await service.createLink({ amount: "2000.5", description: "Shoes", metadata })
    assert.strictEqual(new URL(url).origin, service.origin)
    const { json: link, status } = await read(url)
    assert.strictEqual(status, 200)
    assert.deepInclude(link, {
      amount: "2000.5000",
      currency: "XOF",
      description: "Shoes",
      merchant: "Chez Awa",
      is_paid: false
    })

    const before = (await transactions()).length
    const form = { attempt: link.attempt, phone_number }
    // A form that is sent twice, such as by a double click, pays once.
    const [first, second] = await Promise.all([pay(url, form), pay(url, form)])
    assert.deepStrictEqual([first?.status, second?.status], [200, 200])
    assert.isTrue(first?.json.is_paid)
    assert.lengthOf(await transactions(), before + 1)
    assert.isTrue((await read(url, link.attempt)).json.is_paid)

    await pay(url, { attempt: (await read(url)).json.attempt, phone_number })
    await pay(url, form)
    assert.lengthOf(await transactions(), before + 2)
    // Only an attempt that was paid says so.
    assert.isFalse((await read(url, "another")).json.is_paid)
  })

  it("returns to addresses with http and https only", async () => {
    const success_url = "https://shop.example/thanks?order=42"
    const failure_url = "http://shop.example/sorry"
    const url = await service.createLink({ success_url, failure_url })
    const expected = { success_url, failure_url }
    assert.deepInclude((await read(url)).json, expected)
    for (const other of [
      "javascript:alert(1)",
      "/somewhere",
      "//shop.example",
      "data:text/html,x"
    ]) {
      const ignored = await service.createLink({ success_url: other, failure_url: other })
      assert.deepInclude((await read(ignored)).json, { success_url: null, failure_url: null })
    }
  })

  it("refuses what is no phone number", async () => {
    const url = await service.createLink()
    const before = (await transactions()).length
    for (const phone_number of ["", " ", "abc", "1".repeat(33), "+229", "97 00 00 01"]) {
      const refused = await pay(url, { attempt: "one", phone_number })
      assert.deepStrictEqual([refused.status, codeOf(refused)], [422, "VALIDATION_FAILED"])
    }
    assert.strictEqual((await pay(url, { phone_number })).status, 422)
    assert.lengthOf(await transactions(), before)
  })

  it("refuses a link that was used, also for a page that is older", async () => {
    const url = await service.createLink({ max_uses: 1 })
    const late = (await read(url)).json.attempt
    const { attempt } = (await read(url)).json
    assert.strictEqual((await pay(url, { attempt, phone_number })).status, 200)
    const refused = await pay(url, { attempt: late, phone_number })
    assert.deepStrictEqual([refused.status, codeOf(refused)], [422, "LINK_NOT_ACTIVE"])
    assert.strictEqual((await read(url)).json.status, "INACTIVE")
  })

  it("refuses a link that has expired", async () => {
    const url = await service.createLink({ expires_at: "2099-01-01T00:00:00Z" })
    const { attempt } = (await read(url)).json
    await Effect.runPromise(service.sandbox.advance({ seconds: 2_592_000_000 }))
    assert.strictEqual((await read(url)).json.status, "EXPIRED")
    assert.strictEqual(codeOf(await pay(url, { attempt, phone_number })), "LINK_NOT_ACTIVE")
    // The token has expired as well.
    service.renew()
  })

  it("does not exist for an unknown link", async () => {
    const url = `${service.origin}/checkout/LNK-UNKNOWN`
    for (const answer of [await read(url), await pay(url, { attempt: "one", phone_number })]) {
      assert.deepStrictEqual([answer.status, codeOf(answer)], [404, "NOT_FOUND"])
    }
  })

  it("takes no payment from a page of another site", async () => {
    const url = await service.createLink()
    const before = (await transactions()).length
    const fields = { attempt: "one", phone_number }
    const refused = await pay(url, fields, { origin: "https://attacker.example" })
    assert.deepStrictEqual([refused.status, codeOf(refused)], [403, "FOREIGN_ORIGIN"])
    assert.lengthOf(await transactions(), before)
  })

  it("works even where the control API is off, and is not in the log of requests", async () => {
    const off = await services.start({ control: false })
    const url = await off.createLink()
    const { headers } = await fetch(url)
    assert.strictEqual(headers.get("x-frame-options"), "DENY")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    const policy = headers.get("content-security-policy") ?? ""
    assert.include(policy, "frame-ancestors 'none'")
    assert.include(policy, "require-trusted-types-for 'script'")
    const { attempt } = (await read(url)).json
    assert.strictEqual((await pay(url, { attempt, phone_number })).status, 200)
    assert.deepStrictEqual(
      (await Effect.runPromise(off.sandbox.exchanges)).map(({ operation }) => operation),
      ["Token.obtain", "PaymentLinks.create"]
    )
    await off.close()
  })
})
