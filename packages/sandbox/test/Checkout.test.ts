// The hosted page of a payment link, without a browser.
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as services from "./utils/service.js"

let service: services.Service

beforeAll(async () => {
  service = await services.start()
})
afterAll(() => service.close())

const view = async (url: string) => {
  const response = await fetch(url)
  return { headers: response.headers, status: response.status, text: await response.text() }
}

/** Sends the form of a page, and does not follow its redirect. */
const submit = async (
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) => {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
    redirect: "manual"
  })
  return {
    status: response.status,
    location: response.headers.get("location"),
    text: await response.text()
  }
}

const attemptIn = (text: string) => /name="attempt" value="([^"]+)"/.exec(text)?.[1] ?? ""

const phone_number = "+2290100000000"

const transactions = () => Effect.runPromise(service.sandbox.transactions)

describe("the hosted page of a payment link", () => {
  it("shows what is paid, and takes one payment for each form", async () => {
    const url = await service.createLink({ amount: "2000.5", description: "Shoes & <b>socks</b>" })
    assert.strictEqual(new URL(url).origin, service.origin)
    const { status, text } = await view(url)
    assert.strictEqual(status, 200)
    assert.include(text, "Pay 2000.5 XOF")
    assert.include(text, "Shoes &#38; &#60;b&#62;socks&#60;/b&#62;")

    const before = (await transactions()).length
    const form = { attempt: attemptIn(text), phone_number }
    // A form that is sent twice, such as by a double click, pays once.
    const [first, second] = await Promise.all([submit(url, form), submit(url, form)])
    assert.deepStrictEqual([first?.status, second?.status], [303, 303])
    assert.lengthOf(await transactions(), before + 1)
    const paid = await view(new URL(first?.location ?? "", url).href)
    assert.include(paid.text, "You paid 2000.5 XOF.")

    const again = attemptIn((await view(url)).text)
    await submit(url, { attempt: again, phone_number })
    assert.lengthOf(await transactions(), before + 2)
    // Only an attempt that was paid says so.
    assert.notInclude((await view(`${url}?attempt=another`)).text, "You paid")
  })

  it("returns to success_url", async () => {
    const success_url = "https://shop.example/thanks?order=42"
    const url = await service.createLink({ success_url })
    const { headers, text } = await view(url)
    // Browsers apply the policy to the redirect of a form.
    assert.include(
      headers.get("content-security-policy"),
      "form-action 'self' https://shop.example;"
    )
    const { location, status } = await submit(url, { attempt: attemptIn(text), phone_number })
    assert.deepStrictEqual([status, location], [303, success_url])
    const back = await view(`${url}?attempt=${attemptIn(text)}`)
    assert.include(back.text, "You paid")
    assert.notInclude(back.text, "success_url")
  })

  it("follows http and https only", async () => {
    const script = "javascript:alert(1)"
    const url = await service.createLink({ success_url: script, failure_url: script })
    const { text } = await view(url)
    assert.notInclude(text, script)
    const { location } = await submit(url, { attempt: attemptIn(text), phone_number })
    const paid = await view(new URL(location ?? "", url).href)
    assert.include(paid.text, "success_url that is not followed")
    for (const relative of ["/somewhere", "//shop.example", "data:text/html,x", " "]) {
      const { text } = await view(await service.createLink({ failure_url: relative }))
      assert.include(text, `?cancelled">Cancel`)
    }
  })

  // Both characters are legal in a host, and end a directive or a policy.
  for (const end of [";", ","]) {
    it(`keeps its policy with a "${end}" in a host`, async () => {
      const success_url = `http://x${end}frame-ancestors`
      const failure_url = "https://shop.example"
      const url = await service.createLink({ success_url, failure_url })
      const { headers, text } = await view(url)
      assert.match(
        headers.get("content-security-policy") ?? "",
        /form-action 'self' +https:\/\/shop\.example; base-uri 'none'; frame-ancestors 'none';/
      )
      const { location } = await submit(url, { attempt: attemptIn(text), phone_number })
      const paid = await view(new URL(location ?? "", url).href)
      assert.include(paid.text, "success_url that is not followed")
    })
  }

  it("asks again for a missing or too long phone number", async () => {
    const url = await service.createLink()
    const before = (await transactions()).length
    for (const phone_number of ["", " ", "1".repeat(33)]) {
      const { status, text } = await submit(url, { attempt: "one", phone_number })
      assert.strictEqual(status, 422)
      assert.include(text, "Enter a phone number of 1 to 32 characters.")
      assert.strictEqual(attemptIn(text), "one")
    }
    assert.lengthOf(await transactions(), before)
  })

  it("says that a link was used, also to a person whose form is older", async () => {
    const failure_url = "https://shop.example/sorry"
    const url = await service.createLink({ max_uses: 1, failure_url })
    const late = attemptIn((await view(url)).text)
    const form = { attempt: attemptIn((await view(url)).text), phone_number }
    assert.strictEqual((await submit(url, form)).status, 303)
    const { status, text } = await submit(url, { attempt: late, phone_number })
    assert.strictEqual(status, 422)
    assert.include(text, "This link was already used.")
    assert.include(text, "Nothing was paid.")
    assert.include((await view(url)).text, "This link was already used.")
    assert.include(text, `href="${failure_url}"`)
  })

  it("says that a link expired", async () => {
    const expires_at = "2099-01-01T00:00:00Z"
    const url = await service.createLink({ expires_at })
    const attempt = attemptIn((await view(url)).text)
    await Effect.runPromise(service.sandbox.advance({ seconds: 2_592_000_000 }))
    assert.include((await view(url)).text, "This link expired on 2099-01-01.")
    const { status, text } = await submit(url, { attempt, phone_number })
    assert.strictEqual(status, 422)
    assert.include(text, "This link expired")
    // The token has expired as well.
    service.renew()
  })

  it("says that the payment was cancelled, or returns to failure_url", async () => {
    const url = await service.createLink()
    const cancel = /href="([^"]+)">Cancel/.exec((await view(url)).text)?.[1] ?? ""
    assert.include((await view(new URL(cancel, url).href)).text, "You cancelled the payment.")
    const failure_url = "https://shop.example/sorry"
    const { text } = await view(await service.createLink({ failure_url }))
    assert.include(text, `href="${failure_url}">Cancel`)
  })

  it("does not exist for an unknown link", async () => {
    const url = `${service.origin}/checkout/LNK-UNKNOWN`
    for (const { status, text } of [await view(url), await submit(url, { phone_number })]) {
      assert.strictEqual(status, 404)
      assert.include(text, "This payment link does not exist.")
    }
  })

  it("takes no payment from a page of another site", async () => {
    const url = await service.createLink()
    const before = (await transactions()).length
    const origin = "https://attacker.example"
    const { status, text } = await submit(url, { phone_number }, { origin })
    assert.strictEqual(status, 403)
    assert.include(text, "Nothing was paid.")
    assert.lengthOf(await transactions(), before)
  })

  it("has a form even where the control API is off, and is not in the log of requests", async () => {
    const off = await services.start({ control: false })
    const url = await off.createLink()
    const { headers, text } = await view(url)
    assert.strictEqual(headers.get("x-frame-options"), "DENY")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    assert.include(headers.get("content-security-policy"), "frame-ancestors 'none'")
    const sent = await submit(url, { attempt: attemptIn(text), phone_number })
    assert.strictEqual(sent.status, 303)
    assert.deepStrictEqual(
      (await Effect.runPromise(off.sandbox.exchanges)).map(({ operation }) => operation),
      ["Token.obtain", "PaymentLinks.create"]
    )
    await off.close()
  })
})
