// The page of a runner in a real browser.
import axe from "axe-core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it, vi } from "vitest"
import { launch } from "../../sandbox/prove/utils/browser.js"
import * as runner from "./utils/runner.js"

let browser: Browser
let url: string
let page: Page
/** Errors of scripts, and what the policy of the page blocked. */
let problems: Array<string>

const scope = Effect.runSync(Scope.make())
const started = (isEmpty?: boolean) => Effect.runPromise(Scope.extend(runner.make(isEmpty), scope))

beforeAll(async () => {
  browser = await launch()
  url = await started()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

beforeEach(async () => {
  page = await browser.newPage({ reducedMotion: "reduce" })
  page.setDefaultTimeout(60_000)
  problems = []
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
})
afterEach(() => page.close())

const show = async (key: string) => {
  await page.getByLabel("Key").fill(key)
  await page.getByRole("button", { name: "Show" }).click()
  await page.getByRole("region", { name: key }).waitFor()
}

const state = (name: string) => page.getByRole("link", { name, exact: true }).click()

const row = (key: string) => page.getByRole("row").filter({ hasText: key })

const press = (name: string) => page.getByRole("button", { name, exact: true }).click()

/** Answers the question in the dialog. */
const confirm = async (title: string, name: string) => {
  const dialog = page.getByRole("dialog", { name: title })
  await dialog.getByRole("button", { name, exact: true }).click()
  await dialog.waitFor({ state: "hidden" })
}

const status = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor()

describe("the page of a runner", () => {
  it("shows nothing without the token, which it keeps out of addresses", async () => {
    const addresses: Array<string> = []
    page.on("request", (request) => addresses.push(request.url()))
    await page.goto(url)
    await page.getByLabel("Token of the runner").fill("a wrong one")
    await press("Unlock")
    await status("The runner refused this token")
    // The browser itself reports the refusal.
    problems = []
    await runner.enter(page, url)
    await row("salary:E005").waitFor()
    await page.reload()
    await row("salary:E005").waitFor()
    await page.getByRole("button", { name: "Lock" }).click()
    await page.getByLabel("Token of the runner").waitFor()
    assert.strictEqual(await row("salary:E005").count(), 0)
    assert.isFalse(addresses.some((one) => /sesame|wrong/.test(decodeURIComponent(one))))
    assert.deepStrictEqual(problems, [])
  })

  it("lists executions by their state", async () => {
    await runner.enter(page, url)
    await page.getByRole("link", { name: /^Waiting [1-9]/ }).waitFor()
    await row("payroll:2026-11").getByText("sends its items").waitFor()
    await state("Succeeded")
    await row("salary:E001").waitFor()
    assert.strictEqual(await row("salary:E003").count(), 0)
    await state("Failed")
    await row("salary:E003").waitFor()
    await state("Waiting")
    await row("salary:E004").getByText("sends again in").waitFor()
    await row("salary:E005").getByText("looks again in").waitFor()
    await state("Died")
    await page.getByText("No execution has ended with a defect. There is nothing to do.").waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("draws the history of an execution with its next wake-up, and resumes it after a question", async () => {
    await runner.enter(page, url)
    await show("salary:E002")
    const rows = page.getByRole("list", { name: "The history" }).getByRole("listitem")
    const texts = await rows.allInnerTexts()
    const expected = [
      /started/,
      /request 1.*salary:E002.*outcome unknown.*may have processed it.*OutcomeUnknown: /s,
      /pause of .*request 2.*salary:E002.*answered.*id PYT-/s,
      /look 1.*read.*no final status yet/s,
      /pause until [\d :-]+, the next wake-up/
    ]
    await page.getByText(/It has no final status yet\. It looks again .* \(in \d+m/).waitFor()
    assert.lengthOf(texts, expected.length, texts.join("\n"))
    expected.forEach((pattern, i) => assert.match(texts[i] ?? "", pattern))

    await press("Resume")
    await page.getByRole("dialog", { name: "Resume salary:E002?" }).getByText("Close").click()
    assert.strictEqual(await rows.count(), expected.length)
    await press("Resume")
    await confirm("Resume salary:E002?", "Resume")
    await status("salary:E002: It has no final status yet. It looks again as soon as")
    await rows.filter({ hasText: /look 2/ }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("interrupts an execution after a question", async () => {
    await runner.enter(page, url)
    await show("salary:E005")
    await press("Interrupt")
    await confirm("Interrupt salary:E005?", "Interrupt")
    await status("It is to end. If an outcome is unknown")
    await page.getByText("ended with ExecutionCancelled").waitFor()
    await page.getByRole("button", { name: "Interrupt" }).waitFor({ state: "detached" })
    assert.deepStrictEqual(problems, [])
  })

  it("shows the progress of a batch, and pauses, resumes and interrupts it", async () => {
    await runner.enter(page, url)
    await show("payroll:2026-11")
    const progress = page.getByRole("heading", { name: /^[\d,]+ of 1,000 items were sent/ })
    const sent = async () => Number.parseInt((await progress.innerText()).replace(",", ""))
    const before = await sent()
    await vi.waitFor(async () => assert.isAbove(await sent(), before), 30_000)
    await press("Pause")
    await confirm("Pause payroll:2026-11?", "Pause")
    await status("It is paused. Items that were sent continue.")
    await row("not sent").waitFor()
    await press("Resume")
    await confirm("Resume payroll:2026-11?", "Resume")
    await status("It sends its items.")
    await press("Interrupt")
    await confirm("Interrupt payroll:2026-11?", "Interrupt")
    await status("payroll:2026-11: It is interrupted.")
    await row("completed").waitFor()
    await row("failed: nothing was paid").waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("lists the unpaid items of a batch with amounts and reasons, and finds one by its key", async () => {
    await runner.enter(page, url)
    await show("payroll:2026-11")
    await row("E10").getByText("failed", { exact: true }).first().waitFor()
    await page.getByLabel("Key of an item").fill("E1")
    await page.getByText("No such item.").waitFor()
    await page.getByRole("combobox", { name: "Show" }).selectOption("Paid")
    await page.getByRole("cell", { name: "completed", exact: true }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("asks its runner rarely, and not while nobody looks", async () => {
    await runner.enter(page, url)
    let count = 0
    page.on("request", () => count++)
    await page.waitForTimeout(7_000)
    // Two operations, at most every three seconds.
    assert.isAtLeast(count, 2)
    assert.isAtMost(count, 6)
    await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }))
    await page.waitForTimeout(500)
    count = 0
    await page.waitForTimeout(4_000)
    assert.strictEqual(count, 0)
  })

  it("says what to do while there is nothing, and when a key is wrong", async () => {
    await runner.enter(page, await started(true))
    await page.getByText("Nothing is in progress.").waitFor()
    await page.getByRole("region", { name: "Command" }).getByText("CollectPayment").waitFor()
    await page.getByLabel("Key").fill("nobody")
    await press("Show")
    await status('no execution or batch has the key "nobody"')
  })

  /** Every view, with what it has when its data is there. */
  const views = {
    "#open": "tbody tr",
    "#died": ".empty",
    "#execution?key=salary:E002": ".drawing",
    "#execution?key=payroll:2026-11": ".progress"
  }

  const visit = async (view: keyof typeof views) => {
    await page.goto("about:blank")
    await page.goto(url + view)
    await page.locator(views[view]).first().waitFor()
  }
  const each = Object.keys(views) as ReadonlyArray<keyof typeof views>

  it("scrolls sideways on no screen from 360 to 1440 pixels", async () => {
    await runner.enter(page, url)
    for (const view of each) {
      await visit(view)
      for (const width of [360, 390, 640, 900, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const used = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.isAtMost(used, width, view)
      }
    }
  })

  it.each(["light", "dark"] as const)(
    "has no known barrier for people with disabilities, in %s colours",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      const check = async (name: string) => {
        const violations = await page.evaluate(`${axe.source}
          axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`)
        assert.deepStrictEqual(violations, [], name)
      }
      await page.goto(url)
      await page.getByLabel("Token of the runner").waitFor()
      await check("token")
      await runner.enter(page, url)
      for (const view of each) {
        await visit(view)
        await check(view)
      }
      await visit("#execution?key=salary:E002")
      await press("Interrupt")
      await page.getByRole("dialog").waitFor()
      await check("dialog")
    }
  )
})
