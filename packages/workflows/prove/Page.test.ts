// The page of a runner in a real browser.
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
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
const started = (run: ReturnType<typeof runner.make>) => Effect.runPromise(Scope.extend(run, scope))

beforeAll(async () => {
  browser = await launch()
  url = await started(runner.make(runner.several))
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
  await page.getByRole("link", { name: "Executions", exact: true }).click()
  await page.getByLabel("Key").fill(key)
  await page.getByRole("button", { name: "Show" }).click()
  await page.getByRole("region", { name: key }).waitFor()
}

/** Opens the list, and selects a state. */
const state = async (name: string) => {
  await page.getByRole("link", { name: "Executions", exact: true }).click()
  await page.getByRole("combobox", { name: "State" }).selectOption(name)
}

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
    await runner.enter(page, url)
    await row("payroll:2026-11").waitFor()
    await page.reload()
    await row("payroll:2026-11").waitFor()
    await press("Lock this tab")
    await page.getByLabel("Token of the runner").waitFor()
    assert.strictEqual(await row("payroll:2026-11").count(), 0)
    assert.isFalse(addresses.some((one) => /sesame|wrong/.test(decodeURIComponent(one))))
    // The browser itself reports the refusal, at any time.
    const others = problems.filter((problem) => !problem.includes("status of 401"))
    assert.deepStrictEqual(others, [])
  })

  it("lists executions by their state", async () => {
    await runner.enter(page, url)
    await row("payroll:2026-11").getByText("sends its items").waitFor()
    await row("process").getByText("runs").waitFor()
    await page.getByRole("link", { name: /^Waiting [1-9]/ }).click()
    await row("salary:E004").waitFor()
    await state("Succeeded")
    await row("salary:E001").waitFor()
    assert.strictEqual(await row("salary:E003").count(), 0)
    await state("Failed")
    await row("salary:E003").getByText("(INSUFFICIENT_FUNDS)").waitFor()
    const failure = page.getByLabel("Failure")
    await failure.fill("blocked")
    await page.getByText("No execution fits these filters.").waitFor()
    await failure.fill("insufficient")
    await row("salary:E003").waitFor()
    await failure.fill("")
    await state("Waiting, in a pause")
    await page.getByRole("combobox", { name: "Workflow" }).selectOption("Manilla/DisbursePayout/2")
    await page.getByRole("combobox", { name: "Started" }).selectOption("In the last hour")
    await row("salary:E004").getByText("sends again in").waitFor()
    await row("salary:E005").getByText("looks again in").waitFor()
    await page.getByRole("combobox", { name: "Workflow" }).selectOption("All")
    await page.getByRole("combobox", { name: "Started" }).selectOption("At any time")
    await state("Failed with a defect")
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
      /the next wake-up is in \d+ minutes, at [\d :-]+/
    ]
    await page
      .getByText(/It has no final status yet\. It looks again .* \(in \d+ minutes/)
      .waitFor()
    assert.lengthOf(texts, expected.length, texts.join("\n"))
    expected.forEach((pattern, i) => assert.match(texts[i] ?? "", pattern))
    await page.getByText("Made", { exact: true }).waitFor()

    await press("Try again now")
    const question = "Try again now: salary:E002?"
    await page.getByRole("dialog", { name: question }).getByText("Close").click()
    assert.strictEqual(await rows.count(), expected.length)
    await press("Try again now")
    await page.getByText("It reads the status now.").waitFor()
    await confirm(question, "Try again now")
    await status("salary:E002: It has no final status yet. It looks again as soon as")
    await rows.filter({ hasText: /look 2/ }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("says what it means for the money to give an execution up, and does so after a question", async () => {
    await runner.enter(page, url)
    for (const [key, effect] of [
      ["salary:E004", "The money may have moved: the outcome of its request is unknown."],
      [
        "salary:E005",
        /It has made PYT-.+, which stays made: the money may have moved, or move later/
      ]
    ] as const) {
      await show(key)
      await press("Give up")
      await page.getByRole("dialog").getByText(effect).waitFor()
      await page.getByRole("dialog").getByText("Close").click()
    }
    await press("Give up")
    await confirm("Give up: salary:E005?", "Give up")
    await status("It is to end. If an outcome is unknown")
    await page.getByText("ended with ExecutionCancelled").waitFor()
    await page.getByRole("button", { name: "Give up" }).waitFor({ state: "detached" })
    assert.deepStrictEqual(problems, [])
  })

  it("shows the progress of a batch, and pauses, resumes and interrupts it", async () => {
    await runner.enter(page, url)
    await show("payroll:2026-11")
    const tile = (label: string) =>
      page.getByRole("link", { name: new RegExp(`^${label} [\\d,]+ `) })
    const notSent = async () =>
      Number.parseInt((await tile("Not sent").locator("strong").innerText()).replace(",", ""))
    await page.getByText("1,000 items: 1,000,000.00 XOF in total. Sent in the last").waitFor()
    const before = await notSent()
    await vi.waitFor(async () => assert.isBelow(await notSent(), before), 30_000)
    await press("Pause")
    await confirm("Pause: payroll:2026-11?", "Pause")
    await status("It is paused. Items that were sent continue.")
    await press("Resume")
    await confirm("Resume: payroll:2026-11?", "Resume")
    await status("It sends its items.")
    await press("Stop sending")
    await confirm("Stop sending: payroll:2026-11?", "Stop sending")
    await status("payroll:2026-11: It is interrupted.")
    await tile("Not paid").waitFor()
    await tile("Paid").click()
    await page.getByRole("cell", { name: "Paid", exact: true }).first().waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("lists the unpaid items of a batch with amounts and reasons, and finds one by its key", async () => {
    await runner.enter(page, url)
    await show("payroll:2026-11")
    await row("E10")
      .getByText("The wallet has insufficient funds. (INSUFFICIENT_FUNDS)")
      .first()
      .waitFor()
    await page.getByText("pay the corrected row in a new batch.").waitFor()
    await page.getByLabel("Key of an item").fill("E1")
    await page.getByText("No such item here.").waitFor()
    await page.getByRole("combobox", { name: "Show" }).selectOption("Paid")
    await page.getByRole("cell", { name: "Paid", exact: true }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("asks its runner rarely, and not while nobody looks", async () => {
    await runner.enter(page, url)
    let count = 0
    page.on("request", () => count++)
    await page.waitForTimeout(7_000)
    // Four operations, at most every three seconds.
    assert.isAtLeast(count, 4)
    assert.isAtMost(count, 12)
    await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }))
    await page.waitForTimeout(500)
    count = 0
    await page.waitForTimeout(4_000)
    assert.strictEqual(count, 0)
  })

  it("says loudly that no runner is alive", async () => {
    await page.route("**/workflows/runners", (route) => {
      const seen = new Date(Date.now() - 180_000).toISOString()
      return route.fulfill({ body: JSON.stringify({ name: "process 1", state: "is gone", seen }) })
    })
    await runner.enter(page, url)
    const alarm = page.getByRole("alert")
    await alarm.getByText("No runner is alive: nothing is sent, and nothing continues").waitFor()
    await alarm.getByText("The last one was seen 3 minutes ago.").waitFor()
  })

  it("says what to do while there is nothing, and when a key is wrong", async () => {
    await runner.enter(page, await started(runner.make(Effect.void)))
    await page.getByText("Nothing is in progress.").waitFor()
    await page.getByRole("region", { name: "Command" }).getByText("CollectPayment").waitFor()
    await page.getByRole("link", { name: "Executions", exact: true }).click()
    await page.getByLabel("Key").fill("nobody")
    await press("Show")
    await status('no execution or batch has the key "nobody"')
  })

  /** Every view, with what it has when its data is there. */
  const views = {
    "#overview": "tbody tr",
    "#batches": "tbody tr",
    "#executions": "tbody tr",
    "#executions?state=died": ".empty",
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
      await press("Give up")
      await page.getByRole("dialog").waitFor()
      await check("dialog")
    }
  )
})

describe("a payroll of 2,000 people, of whom three are not paid", () => {
  let payroll: string
  beforeAll(async () => {
    payroll = await started(runner.make(runner.payroll, { concurrency: 100 }))
  }, 120_000)

  it.each([360, 900, 1440])(
    "shows the three, how much, why and what to do, after one click on a screen of %i pixels",
    async (width) => {
      await page.setViewportSize({ width, height: 900 })
      await runner.enter(page, payroll)
      await row("payroll:2026-11").getByText("not all paid").waitFor()
      await page.getByRole("link", { name: "payroll:2026-11" }).click()
      await page.getByRole("link", { name: "Not paid 3 103,500.00 XOF" }).waitFor()
      await page.getByRole("link", { name: "Paid 1,997 64,551,500.00 XOF" }).waitFor()
      await row("E1733").waitFor()
      const texts = await page.locator("table.items tbody tr").allInnerTexts()
      const expected = [
        /E0117.*39,250\.00 XOF.*Refused.*The provider blocked the mobile money account\./s,
        /E0904.*26,000\.00 XOF.*Not completed.*the payout PYT-\w+ ended FAILED/s,
        /E1733.*38,250\.00 XOF.*Refused.*The provider does not know the phone number\./s
      ]
      assert.lengthOf(texts, expected.length, texts.join("\n"))
      expected.forEach((pattern, i) => assert.match(texts[i] ?? "", pattern))
      await page.getByText("Refused: This batch has paid nothing for it").waitFor()
      await page.getByText("Not completed: Its payout ended, and is not sent again.").waitFor()
      const used = await page.evaluate(() => document.documentElement.scrollWidth)
      assert.isAtMost(used, width)
      assert.deepStrictEqual(problems, [])
    }
  )
})

it("an item in doubt leads to its history, where it is tried again with its own key", async () => {
  await runner.enter(page, await started(runner.make(runner.doubtful)))
  await row("bonus:2026").getByText("1 in doubt; has sent all its items").waitFor()
  await page.getByRole("link", { name: "bonus:2026" }).click()
  await page.getByRole("link", { name: "In doubt 1 1,000.00 XOF" }).waitFor()
  await row("Kofi & 50%25")
    .getByText(/the money may have moved; sends again in .*hour/)
    .waitFor()
  await page.getByText("do not pay it in any other way").waitFor()
  await page.getByRole("link", { name: "Kofi & 50%25: history" }).click()
  const requests = page.getByRole("listitem").filter({ hasText: "Payouts.disburse, request" })
  await requests.first().waitFor()
  // The key as it is stored, which the command takes.
  const stored = IdempotencyKey.derive("PayoutBatch", "bonus:2026", "Kofi & 50%25")
  await page.locator("dl code").getByText(stored).waitFor()
  const made = page.getByText("Made", { exact: true })
  assert.strictEqual(await made.count(), 0, "whether it made a payout is not known")
  const before = await requests.count()
  await press("Try again now")
  await page.getByText("It sends the same request again now, with the same key.").waitFor()
  await confirm("Try again now: PayoutBatch:bonus:2026:Kofi & 50%25?", "Try again now")
  await vi.waitFor(async () => assert.isAbove(await requests.count(), before), 30_000)
  assert.match(await requests.last().innerText(), /A PayoutBatch:bonus:2026:Kofi & 50%25/)
  assert.deepStrictEqual(problems, [])
})
