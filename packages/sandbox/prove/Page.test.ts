// The page of the sandbox in a real browser.
import * as Fault from "@manilla/sandbox/Fault"
import * as ServiceApi from "@manilla/service/ServiceApi"
import axe from "axe-core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it, vi } from "vitest"
import * as browsers from "./utils/browser.js"
import * as curl from "../test/utils/curl.js"
import * as services from "../test/utils/service.js"
import * as sites from "./utils/site.js"

let browser: Browser
let service: services.Service
let page: Page
/** Errors of scripts, and what the policy of the page blocked. */
let problems: Array<string>

beforeAll(async () => {
  browser = await browsers.launch()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  service = await services.start({ settleAfter: "1 hour", seed: 1 })
  page = await browser.newPage({ baseURL: service.origin, reducedMotion: "reduce" })
  page.setDefaultTimeout(60_000)
  problems = []
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
})
afterEach(async () => {
  await page.close()
  await service.close()
})

/** The views, each with an element that it has when its data is there. */
const views = {
  overview: ".tile",
  requests: "tbody tr",
  resources: "tbody tr",
  money: "table + .note",
  faults: "#faults li",
  clock: "input",
  credentials: "#secret"
} as const

const show = async (view: keyof typeof views) => {
  await page.goto(`/#${view}`)
  await page.getByRole("heading", { name: new RegExp(`^${view}$`, "i") }).waitFor()
}

/** A button that opens a request. */
const requestButton = () => page.getByRole("button", { name: /^#\d+ / }).first()

/** Repeats a check until it passes, because the page changes after each message of its sandbox. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000 })

const hash = (text: string) => page.waitForURL((url) => url.hash === text)

const isWithoutStatus = () =>
  eventually(async () => assert.strictEqual(await page.locator("#status").textContent(), ""))

const status = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor()

describe("the page", () => {
  it("says why a payment was made once though it was sent four times", async () => {
    await page.goto("/#requests")
    await services.sendFourTimes(service, "order-42")
    await service.pay("order-43")
    // The requests appear without a reload.
    await page.getByRole("button", { name: "order-42" }).first().click()
    const why = page.locator("#explanation")
    await why.getByRole("heading", { name: "Why? 4 requests with the key order-42" }).waitFor()
    await eventually(async () => {
      assert.match(
        await why.innerText(),
        /Request #\d+ made the payment PAY-\S+ of 1,500\.00 XOF \(PENDING\)\. The customer is not charged yet\./
      )
      assert.deepStrictEqual(
        (await why.locator("ol").last().locator("li").allInnerTexts()).map((line) =>
          line.replace(/^#\d+ /, "")
        ),
        [
          "never reached the service: a fault closed the connection first. Nothing was made.",
          "never reached the service: the fault “status” answered 503 in its place. Nothing was made.",
          "reached the service, which processed it. Then a fault closed the connection, so the caller got no response. This request made the payment.",
          "reached the service, which knew the key and made nothing new. The caller got the first result again: 201."
        ]
      )
      assert.strictEqual(await page.locator("tbody tr").count(), 4)
    })
    assert.deepStrictEqual(problems, [])
  })

  it("counts a refund as money out", async () => {
    const { sandbox } = service
    await service.pay("order-1")
    await Effect.runPromise(sandbox.advance({ seconds: 3600 }))
    const [transaction] = await Effect.runPromise(sandbox.transactions)
    if (transaction === undefined) return assert.fail("no transaction")
    await Effect.runPromise(sandbox.refund({ transaction: transaction.reference }))
    await Effect.runPromise(sandbox.advance({ seconds: 3600 }))
    await page.goto("/")
    const row = page.getByRole("row", { name: /^XOF/ })
    await eventually(async () => assert.match(await row.innerText(), /1,500.00\s+1,500.00\s+0.00/))
  })

  it("keeps the filter in the address, and nothing of it in other views", async () => {
    await service.pay("order-31")
    await service.pay("order-7")
    await page.goto("/#requests")
    await page.getByRole("button", { name: "order-31" }).click()
    await page.getByRole("heading", { name: /with the key order-31$/ }).waitFor()
    await hash("#requests?find=order-31")
    for (const view of ["Resources", "Money", "Faults", "Clock", "Credentials"]) {
      await page.getByRole("link", { name: view, exact: true }).click()
      await page.getByRole("heading", { name: view, exact: true }).waitFor()
      await isWithoutStatus()
    }
    await page.getByRole("link", { name: "Requests", exact: true }).first().click()
    await hash("#requests?find=order-31")
    await page.getByLabel("Key, reference").fill("order-7")
    await page.getByRole("heading", { name: /with the key order-7$/ }).waitFor()
    await eventually(async () =>
      assert.notInclude(await page.locator("body").innerText(), "order-31")
    )
    await page.reload()
    await page.getByRole("heading", { name: /with the key order-7$/ }).waitFor()
    await page.getByRole("button", { name: "Show all requests" }).click()
    await page.locator("#explanation h3").waitFor({ state: "detached" })
    await hash("#requests")
    await isWithoutStatus()
    await page.getByRole("button", { name: "order-31" }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("leads from a key to its payment, and back", async () => {
    await service.pay("order-31")
    await service.pay("order-7")
    await page.goto("/#requests?find=order-31")
    const payment = page.locator("#explanation").getByRole("link", { name: /^PAY-/ })
    const reference = await payment.innerText()
    await requestButton().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("link", { name: reference }).waitFor()
    await dialog.getByText("Request body: ").waitFor()
    await page.keyboard.press("Escape")

    await payment.click()
    await page.getByRole("button", { name: reference, exact: true }).waitFor()
    await eventually(async () => assert.strictEqual(await page.locator("tbody tr").count(), 1))
    await page.getByRole("button", { name: `Complete ${reference}` }).click()
    await status("is COMPLETED.")
    await page.getByRole("link", { name: "order-31" }).click()
    await page.getByText("The customer was charged once.").waitFor()
    // A payment also settles without a request.
    await page.getByRole("button", { name: "Show all requests" }).click()
    await page.getByRole("button", { name: "order-7" }).click()
    await page.getByText("The customer is not charged yet.").waitFor()
    await Effect.runPromise(service.sandbox.advance({ seconds: 3600 }))
    await page.getByText("The customer was charged once.").waitFor()

    await page.goto("/#resources?kind=transactions")
    await page.getByRole("link", { name: reference }).click()
    await page.getByRole("row").filter({ hasText: "order-31" }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("finds a key by a part, in any case, with spaces, and by the reference of its payment", async () => {
    await service.pay("order-31")
    await service.pay("order-310")
    await service.pay("order-7")
    await page.goto("/#requests")
    const key = page.getByLabel("Key, reference")
    const heading = (name: string) =>
      page.getByRole("heading", { name: `Why? 1 request with the key ${name}`, exact: true })
    const count = (text: string) => page.locator("caption", { hasText: text }).waitFor()

    await key.fill("7")
    await heading("order-7").waitFor()
    await key.fill("ORDER-7")
    await heading("order-7").waitFor()
    await key.fill(" order-31 ")
    // It does not mean order-310.
    await heading("order-31").waitFor()
    await count("1 of ")
    const reference = await page.locator("#explanation").getByRole("link").innerText()
    await page.getByRole("combobox", { name: "Operation" }).selectOption("Token.obtain")
    await page.getByText("leaves out 1 of them: it shows only Token.obtain").waitFor()
    await page.getByRole("button", { name: "Show all requests" }).click()

    await key.fill("31")
    await page.getByText("2 keys contain “31”.").waitFor()
    await page.locator("#explanation").getByRole("button", { name: "order-310" }).click()
    await heading("order-310").waitFor()

    await key.fill(reference)
    await heading("order-31").waitFor()

    await key.fill("order-8")
    await page.getByText("No request has “order-8” as key").waitFor()
    await page.getByRole("link", { name: "Look for it in the resources" }).waitFor()
    await count("0 of ")
    assert.deepStrictEqual(problems, [])
  })

  it("knows what a key made before the newest 1,000 resources", async () => {
    await service.pay("order-42")
    // One at a time would take longer.
    for (let n = 0; n < 1000; n += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, m) => service.pay(`later-${n + m}`)))
    }
    await service.pay("order-42")
    await page.goto("/#requests")
    await page.getByRole("button", { name: "order-42" }).first().click()
    const why = page.locator("#explanation")
    await why.getByRole("heading", { name: /^Why\? .* with the key order-42$/ }).waitFor()
    await why.getByText(/An earlier request made the payment \S+ of 1,500\.00 XOF/).waitFor()
    await why.getByRole("link").click()
    await page.getByRole("row").filter({ hasText: "order-42" }).waitFor()
  })

  it("finds a refused request by its status, its code and its correlation id", async () => {
    await service.pay("order-1")
    await service.pay("order-1", { amount: "2" })
    await service.pay("order-422")
    await page.goto("/#requests?find=422")
    const rows = page.locator("tbody tr")
    await rows.filter({ hasText: "IDEMPOTENCY_KEY_REUSED" }).waitFor()
    // It is not the key order-422.
    assert.strictEqual(await rows.count(), 1)
    await requestButton().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("was refused by the service with 422 IDEMPOTENCY_KEY_REUSED").waitFor()
    const answer = JSON.parse(
      await dialog.getByRole("region", { name: "Response body" }).innerText()
    )
    assert.strictEqual(answer.data.error.code, "IDEMPOTENCY_KEY_REUSED")
    await page.keyboard.press("Escape")
    for (const text of ["idempotency_key_reused", answer.meta.correlation_id, "failed"]) {
      await page.getByLabel("Key, reference").fill(text)
      await page.locator("caption", { hasText: "1 of 4 requests" }).waitFor()
      await rows.filter({ hasText: "IDEMPOTENCY_KEY_REUSED" }).waitFor()
    }
    assert.deepStrictEqual(problems, [])
  })

  it("has the figures first, and says what to do before there are any", async () => {
    await page.goto("/")
    await page.getByText("These lines send a first payment").waitFor()
    const lines = await page.getByRole("region", { name: "Command" }).innerText()
    assert.include(lines, service.sandbox.authUrl)
    await services.sendFourTimes(service, "order-42")
    await service.pay("order-43")
    const tile = (name: string, count: number) =>
      page.getByRole("link", { name: new RegExp(`^${name} ${count} `) })
    await tile("Requests", 6).waitFor()
    await tile("Replays", 1).waitFor()
    await tile("Pending", 2).waitFor()
    await Effect.runPromise(service.sandbox.advance({ seconds: 3600 }))
    await tile("Pending", 0).waitFor()
    await page.getByRole("row", { name: /^XOF 3,000\.00 / }).waitFor()
    await tile("Failed", 3).click()
    await page.locator("caption", { hasText: "3 of 6 requests" }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("shows dates once the clock was moved", async () => {
    await service.pay("order-1")
    await page.goto("/#requests")
    const times = page.locator("tbody time")
    await times
      .filter({ hasText: /^\d\d:\d\d:\d\d$/ })
      .first()
      .waitFor()
    await Effect.runPromise(service.sandbox.advance({ seconds: 86_400 }))
    await times
      .filter({ hasText: /^\d{4}-\d\d-\d\d / })
      .first()
      .waitFor()
  })

  it("waits with new requests while it is paused", async () => {
    await page.goto("/#requests")
    await service.pay("order-1")
    await page.getByRole("button", { name: "order-1" }).waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    await service.pay("order-2")
    // The resources show that the page has news.
    await page.getByRole("link", { name: "Resources" }).click()
    await page.getByRole("row").filter({ hasText: "order-2" }).waitFor()
    await page.getByRole("link", { name: "Requests" }).click()
    await page.locator("#connection", { hasText: "requests paused" }).waitFor()
    await page.getByRole("button", { name: "order-1" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "order-2" }).count(), 0)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.locator("#connection", { hasText: /^connected$/ }).waitFor()
    await page.getByRole("button", { name: "order-2" }).waitFor()
  })

  it("copies a request as a line for curl", async () => {
    await service.pay("it's")
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto("/#requests")
    await page.getByRole("button", { name: /^#1 / }).click()
    await page.getByRole("button", { name: "Copy as curl" }).click()
    await status("Copied: curl")
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.strictEqual(
      copied,
      `curl -X POST -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: it'\\''s' -H 'Content-Type: application/json' --data-raw '${JSON.stringify(services.collection)}' '${service.origin}/api/v1/payments'`
    )
  })

  it("shows an intent settle when the clock is advanced", async () => {
    await service.pay("order-1")
    await show("resources")
    const row = page.getByRole("row").filter({ hasText: "order-1" })
    await row.getByText("PENDING").waitFor()
    await page.getByRole("link", { name: "Clock" }).click()
    await page.getByRole("button", { name: "1 hour" }).click()
    await status("The clock is now")
    await page.getByRole("link", { name: "Resources" }).click()
    await row.getByText("COMPLETED").waitFor()
    await page.getByRole("link", { name: "Money" }).click()
    await page.getByText("The ledger is balanced").waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("settles a payment, refunds its transaction, and settles the refund", async () => {
    await service.pay("order-1")
    await show("resources")
    await page.getByRole("button", { name: /^Complete / }).click()
    await status("is COMPLETED.")
    await page.getByLabel("Kind").selectOption("transactions")
    await page.getByRole("button", { name: /^Refund / }).click()
    await status("was requested.")
    await page.getByLabel("Kind").selectOption("refunds")
    await page.getByRole("button", { name: /^Fail RFD-/ }).click()
    await page.getByRole("row").filter({ hasText: "FAILED" }).waitFor()
  })

  it("adds a fault, which loses the next response, and removes another", async () => {
    await show("faults")
    await page.getByRole("combobox", { name: "Fault", exact: true }).selectOption("status")
    await page.getByLabel("Status", { exact: true }).fill("503")
    await page.getByRole("combobox", { name: "Operation" }).selectOption("Payments.create")
    await page.getByRole("button", { name: "Add fault" }).click()
    await status("The fault status was added.")
    assert.strictEqual((await service.pay("order-1"))?.status, 503)
    assert.strictEqual((await service.pay("order-1"))?.status, 201)
    await page.getByText("No fault is pending.").waitFor()

    await page.getByLabel("Number of requests").fill("always")
    await page.getByRole("button", { name: "Add fault" }).click()
    await page.getByRole("button", { name: "Remove: status, status 503" }).click()
    await page.getByText("No fault is pending.").waitFor()

    await page.getByLabel("Number of requests").fill("soon")
    await page.getByRole("button", { name: "Add fault" }).click()
    await status("count: must be a whole number from 1 to 1000000")
  })

  it("replaces the secret, revokes tokens and resets the sandbox", async () => {
    await service.pay("order-1")
    await show("credentials")
    const secret = page.locator("#secret")
    const before = await secret.innerText()
    await page.getByRole("button", { name: "Replace the client secret" }).click()
    await status("The client secret was replaced")
    await eventually(async () => assert.notStrictEqual(await secret.innerText(), before))
    await page.getByRole("button", { name: "Revoke all tokens" }).click()
    await status("All tokens were revoked.")
    await page.getByRole("button", { name: "Reset the sandbox" }).click()
    await status("The sandbox is in its initial state.")
    await page.getByRole("link", { name: "Requests" }).click()
    await page.getByText("No request has arrived yet.").waitFor()
  })

  it("is used with the keyboard alone", async () => {
    await page.goto("/")
    await page.locator("#connection", { hasText: /^connected$/ }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
    const focusOn = (selector: string, hasText: string | RegExp) =>
      page.locator(selector, { hasText }).waitFor()
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press("Tab")
        if ((await focused()) === name) return
      }
      assert.fail(`Tab does not reach ${name}`)
    }
    await page.keyboard.press("Tab")
    await focusOn(":focus", "Skip to content")
    await tabTo("Faults")
    await page.keyboard.press("Enter")
    // The focus follows to the view.
    await focusOn("h2:focus", "Faults")
    await page.getByRole("button", { name: "Add fault" }).waitFor()
    await tabTo("Add fault")
    await page.keyboard.press("Enter")
    await status("The fault drop_before was added.")
    await page.getByRole("button", { name: "Remove: drop_before" }).focus()
    await page.keyboard.press("Enter")
    await page.getByText("No fault is pending.").waitFor()
    // The focus is not lost with the button.
    await focusOn(":focus", /^No fault is pending\./)

    await service.pay("order-1")
    await service.pay("order-1")
    await page.goto("/#requests")
    // It comes after the view, and would take the focus from the key.
    await focusOn("h2:focus", "Requests")
    await page.getByRole("button", { name: "order-1" }).first().waitFor()
    await tabTo("order-1")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Why? 2 requests" }).waitFor()
    // The focus is on the response, and the next stop is in it.
    const answer = "#explanation:focus, #explanation :focus"
    await focusOn(answer, "")
    await page.keyboard.press("Tab")
    await focusOn(":focus", /^PAY-/)
    await page.keyboard.press("Tab")
    await focusOn(":focus", /^POST \/payments$/)
    await requestButton().focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })

    await page.getByRole("button", { name: "Show all requests" }).press("Enter")
    await requestButton().press("Enter")
    await page.getByRole("button", { name: "Show the requests with this key" }).press("Enter")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await page.getByRole("heading", { name: "Why? 2 requests" }).waitFor()
    await focusOn(answer, "")
  })

  it("keeps a dialog that is opened before the browser tells that the last one is closed", async () => {
    await service.pay("order-1")
    await page.goto("/#requests")
    await requestButton().click()
    await page.getByRole("dialog").waitFor()
    await requestButton().evaluate(async (button: HTMLElement) => {
      const dialog = document.querySelector("dialog")
      const closed = new Promise((resolve) => dialog?.addEventListener("close", resolve))
      dialog?.close()
      button.click()
      await closed
      await new Promise(requestAnimationFrame)
    })
    await page.getByRole("button", { name: "Show the requests with this key" }).click()
    await page.getByRole("heading", { name: "Why? 1 request" }).waitFor()
  })

  it("shows what it received as text, never as HTML", async () => {
    const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`
    await service.pay(script, { description: script })
    await service.createLink({ description: script })
    await fetch(`${service.origin}/api/v1/<script>window.hacked=1</script>`)
    await page.goto("/#requests")
    await page.getByRole("button", { name: script }).click()
    await page.getByRole("heading", { name: "Why?" }).waitFor()
    await requestButton().click()
    await page.getByRole("dialog").getByText("onerror").first().waitFor()
    await page.keyboard.press("Escape")
    await show("resources")
    await page.getByRole("cell", { name: script, exact: true }).first().waitFor()
    await page.getByLabel("Kind").selectOption("payment_links")
    await page.getByRole("cell", { name: script, exact: true }).first().waitFor()
    await page.getByRole("link", { name: "Open" }).click()
    await page.getByText(script).waitFor()
    assert.isFalse(await page.evaluate(() => "hacked" in window))
    assert.strictEqual(await page.locator("img").count(), 0)
    assert.deepStrictEqual(problems, [])
  })

  it("says when the control API is off, and when the sandbox has stopped", async () => {
    const off = await services.start({ control: false })
    await page.goto(off.origin)
    await status("The control API is off")
    await off.close()
    await status("the sandbox does not respond")
  })
})

describe("the hosted page of a link", () => {
  it("takes a payment, and returns to the shop", async () => {
    const shop = await sites.serve("The shop")
    try {
      const checkout = await service.createLink({
        max_uses: 1,
        success_url: `${shop.origin}/thanks`,
        failure_url: `${shop.origin}/sorry`
      })
      await page.goto("/#resources")
      await page.getByLabel("Kind").selectOption("payment_links")
      await page.getByRole("link", { name: "Open" }).click()
      await page.waitForURL(checkout)
      const pay = page.getByRole("button", { name: "Pay 2,000 XOF" })
      const number = page.getByLabel("Mobile money number")
      for (const text of ["", "abc"]) {
        await number.fill(text)
        await pay.click()
        await page.getByText("Enter a mobile money number").waitFor()
      }
      // The country of the link is chosen.
      await number.fill("01 00 00 00 00")
      await page.keyboard.press("Enter")
      await page.waitForURL(`${shop.origin}/thanks`)

      await page.goto(checkout)
      await page.getByText("This link was already used.").waitFor()
      await page.getByRole("link", { name: "Return" }).click()
      await page.waitForURL(`${shop.origin}/sorry`)
      assert.lengthOf(await Effect.runPromise(service.sandbox.transactions), 1)
    } finally {
      shop.close()
    }
  })

  it("says in English and French that a link was paid, cancelled, or has expired", async () => {
    const checkout = await service.createLink({ expires_at: "2099-01-01T00:00:00Z" })
    await page.goto(`${checkout}?lang=fr`)
    await page.getByRole("button", { name: "Payer 2 000 XOF" }).waitFor()
    await page.getByRole("button", { name: "Annuler" }).click()
    await page.getByText("Rien n’a été payé.").waitFor()
    await page.getByRole("button", { name: "English" }).click()
    await page.getByRole("button", { name: "Pay after all" }).click()
    await page.getByLabel("Mobile money number").fill("+2290100000000")
    await page.keyboard.press("Enter")
    await page.getByText("You paid 2,000 XOF from the number that ends in 00.").waitFor()
    await page.reload()
    await page.getByText("You paid 2,000 XOF.").waitFor()
    assert.lengthOf(await Effect.runPromise(service.sandbox.transactions), 1)

    await Effect.runPromise(service.sandbox.advance({ seconds: 2_592_000_000 }))
    await page.goto(`${checkout}?lang=en`)
    await page.getByText("This link expired on 2099-01-01.").waitFor()
    assert.strictEqual(await page.getByText("Nothing was paid.").count(), 0)
    await page.goto(`${service.origin}/checkout/LNK-UNKNOWN`)
    await page.getByText("This payment link does not exist.").waitFor()
    // The browser logs the 404.
    assert.lengthOf(problems, 1)
  })

  it.each([
    ["sent", () => page.keyboard.press("Enter")],
    ["loaded", () => page.reload()]
  ])("says that the service is away, and pays once when it is %s again", async (_, again) => {
    await page.goto(await service.createLink())
    await page.getByLabel("Mobile money number").fill("+2290100000000")
    let isLost = true
    await page.route("**/pay", async (route) => {
      // The payment is made, and its response is lost.
      if (isLost) await route.fetch()
      await (isLost ? route.abort() : route.continue())
      isLost = false
    })
    await page.keyboard.press("Enter")
    await page.getByText("The service does not respond.").waitFor()
    await again()
    await page.getByText("You paid 2,000 XOF.").waitFor()
    assert.lengthOf(await Effect.runPromise(service.sandbox.transactions), 1)
  })
})

/** The lines for curl of `/docs`, by operation. */
const docLines = async () => {
  await page.goto("/docs")
  const sections = page.locator("section")
  await sections.first().waitFor()
  const names = await sections.evaluateAll((all) => all.map(({ id }) => id))
  const lines = await page.locator("section pre").allTextContents()
  return names.map((name, index) => [name, lines[index] ?? ""] as const)
}

describe("the documentation", () => {
  it("has the request and the response of every operation", async () => {
    const names = (await docLines()).map(([name]) => name)
    assert.sameMembers(names, [...ServiceApi.operations.keys()])
    for (const [name, { access, errors = [], method, path, replay }] of ServiceApi.operations) {
      const text = (await page.locator(`section[id="${name}"]`).textContent()) ?? ""
      assert.include(text, method + " " + (access === "credentials" ? "{auth_url}" : ""))
      assert.include(text, path.replace(/:(\w+)/g, "{$1}"))
      assert.include(text, replay._tag)
      assert.include(text, `Documented errors${errors.join(", ") || "none"}`)
      if (access !== "bearer" && access !== "credentials") assert.include(text, access)
      assert.include(text, "success")
    }
    for (const member of ["payer.phone_number", "data.data[].net_amount", "per_page"]) {
      await page.getByText(member, { exact: true }).first().waitFor()
    }
    // No rule shows the redaction of secrets in the code.
    assert.notInclude((await page.locator("main").textContent()) ?? "", "Redacted")
  })

  it("has a line for curl that works for every operation", async () => {
    const lines = new Map(await docLines())
    const { sandbox } = service
    const { client_id: clientId, client_secret: clientSecret } = await Effect.runPromise(
      sandbox.credentials
    )
    await service.pay("order-1")
    await service.createLink()
    const [payment] = await Effect.runPromise(sandbox.paymentIntents)
    if (payment === undefined) return assert.fail("no payment")
    await Effect.runPromise(sandbox.settle({ resource: payment.id }))
    const [transaction] = await Effect.runPromise(sandbox.transactions)
    if (transaction === undefined) return assert.fail("no transaction")
    const refund = await Effect.runPromise(
      sandbox.refund({ transaction: transaction.reference, amount: "1" })
    )
    const [wallet] = await Effect.runPromise(sandbox.wallets)
    const [holder] = await Effect.runPromise(sandbox.cardholders)
    const [link] = await Effect.runPromise(sandbox.paymentLinks)
    const variables = new Map<string, string>([
      ["MANILLA_BASE_URL", sandbox.baseUrl],
      ["MANILLA_AUTH_URL", sandbox.authUrl],
      ["MANILLA_CLIENT_ID", clientId],
      ["MANILLA_CLIENT_SECRET", Redacted.value(clientSecret)],
      ["MANILLA_WALLET_ID", wallet?.id ?? ""],
      ["CUSTOMER_ID", holder?.id ?? ""],
      ["VIRTUAL_CARD_CUSTOMER", holder?.id ?? ""],
      ["PAYMENT_INTENT", payment.id],
      ["PAYMENT_LINK", link?.id ?? ""],
      ["TRANSACTION_REFERENCE", transaction.reference],
      ["REFUND_REFERENCE", refund.reference]
    ])
    // The token is obtained first, though it is the last operation of the page.
    for (const name of ["Token.obtain", ...lines.keys()]) {
      const line = lines.get(name) ?? ""
      const [, assigned, call = line, path] =
        /^(\w+)=\$\((.*) \| jq -r '([^']+)'\)$/.exec(line) ?? []
      if (name === "Payouts.get") {
        const [payout] = await Effect.runPromise(sandbox.payouts)
        variables.set("PAYOUT_REFERENCE", payout?.reference ?? "")
      }
      const response = await curl.send(curl.wordsOf(call, variables))
      assert.isTrue(response?.ok, `${name}: ${await response?.clone().text()}`)
      if (assigned !== undefined && path !== undefined) {
        variables.set(assigned, curl.select(await response?.json(), path))
      }
    }
  })
})

/** Every page of the sandbox, with long and many values in it. */
const pages = async () => {
  await services.sendFourTimes(service, "k".repeat(255))
  await service.pay("order-1", { description: "d".repeat(1000) })
  await Effect.runPromise(service.sandbox.faults.add(Fault.delay("1 second", { count: 5 })))
  const checkout = await service.createLink({ description: "d".repeat(1000) })
  return [
    ...Object.entries(views).map(([view, ready]) => ({ address: `/#${view}`, ready })),
    { address: "/#requests?find=order-1", ready: ".drawing" },
    { address: "/#requests?find=nothing", ready: ".note" },
    { address: "/docs", ready: "section" },
    { address: checkout, ready: "form" },
    { address: `${service.origin}/checkout/LNK-UNKNOWN`, ready: ".result" }
  ]
}

const visit = async ({ address, ready }: { readonly address: string; readonly ready: string }) => {
  await page.goto("about:blank")
  await page.goto(address)
  await page.locator(ready).first().waitFor()
}

describe("every page", () => {
  it("scrolls sideways on no screen from 360 to 1440 pixels", async () => {
    for (const one of await pages()) {
      await visit(one)
      for (const width of [360, 390, 640, 768, 900, 1200, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const used = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.isAtMost(used, width, one.address)
      }
    }
  })

  it("shows a request on one line of 390 pixels, and as a whole on 900 pixels of height", async () => {
    await pages()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto("/#requests")
    const heights = await page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
    assert.isAtMost(Math.max(...heights), 40)
    await page.setViewportSize({ width: 1440, height: 900 })
    await requestButton().click()
    await page.getByRole("dialog").getByRole("region", { name: "Response body" }).waitFor()
    const isWhole = await page
      .getByRole("dialog")
      .evaluate(({ clientHeight, scrollHeight }) => scrollHeight <= clientHeight)
    assert.isTrue(isWhole)
  })

  it("fits a screen of 360 pixels also with a key and a request open", async () => {
    await pages()
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto("/#requests")
    await page.getByRole("button", { name: "kkk" }).first().click()
    await page.getByRole("heading", { name: "Why?" }).waitFor()
    await requestButton().click()
    await page.getByRole("dialog").waitFor()
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  })

  /** Guidelines of WCAG 2.2 at level AA. */
  const guidelines = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
  for (const [colorScheme, rules] of [
    ["light", guidelines],
    // The other rules do not depend on colours.
    ["dark", ["color-contrast"]]
  ] as const) {
    it(`has no known barrier for people with disabilities, in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      for (const one of await pages()) {
        await visit(one)
        // The sections of /docs are alike, and many.
        await page
          .locator("section[id*='.']:nth-of-type(n + 3)")
          .evaluateAll((sections) => sections.forEach((section) => section.remove()))
        // The policy of the page forbids inline scripts, so this one runs outside of it.
        const violations = await page.evaluate(`${axe.source}
          axe.run({ runOnly: ${JSON.stringify(rules)} }).then(
            ({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`)
        assert.deepStrictEqual(violations, [], one.address)
      }
    })
  }
})

describe("pages of other sites", () => {
  it("can neither frame the page nor use the control API or the checkout", async () => {
    const checkout = await service.createLink()
    const other = await sites.serve(`<iframe src="${service.origin}/"></iframe>
<iframe src="${checkout}"></iframe>
<form method="post" enctype="text/plain" action="${checkout}/pay">
<input name='{"attempt":"one","phone_number":"+2290100000000","x":"' value='"}'><button>Pay</button>
</form>`)
    try {
      await page.goto(other.origin)
      const frames = page.frames().slice(1)
      assert.lengthOf(frames, 2)
      for (const frame of frames) {
        assert.strictEqual(await frame.locator("h1", { hasText: /sandbox|Payment/ }).count(), 0)
      }
      // The page learns nothing of the response. The secret shows below that it was a refusal.
      await page.evaluate(
        (url) => fetch(url, { method: "POST", mode: "no-cors" }).catch(() => {}),
        `${service.origin}/_sandbox/credentials/rotate`
      )
      await page.getByRole("button", { name: "Pay" }).click()
      await page.getByText("FOREIGN_ORIGIN").waitFor()
      assert.lengthOf(await Effect.runPromise(service.sandbox.transactions), 0)
      assert.strictEqual((await service.pay("order-1"))?.status, 201)
    } finally {
      other.close()
    }
  })
})
