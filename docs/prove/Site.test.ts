// The built site in a real browser, below a path of its own.
import axe from "axe-core"
import * as FastCheck from "effect/FastCheck"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { launch } from "../../packages/sandbox/prove/utils/browser.js"

const docs = dirname(import.meta.dirname)
const dist = join(docs, ".vitepress/dist")
const origin = "http://site.test/manilla/"
const minutes = 60_000

let browser: Browser
let pages: ReadonlyArray<string>

beforeAll(async () => {
  const build = ["tsx", "docs/site.ts", "--base", "/manilla/"]
  await promisify(execFile)("npx", build, { cwd: dirname(docs) })
  pages = readdirSync(dist, { encoding: "utf8", recursive: true }).filter((file) =>
    file.endsWith(".html")
  )
  browser = await launch()
}, 15 * minutes)
afterAll(() => browser?.close())

/** Opens a tab that reads the site from the disk. */
const open = async (reducedMotion: "reduce" | "no-preference" = "reduce"): Promise<Page> => {
  const page = await browser.newPage({ colorScheme: "light", reducedMotion })
  page.setDefaultTimeout(minutes)
  await page.route(`${origin}**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice("/manilla/".length)
    const file = join(dist, path === "" || path.endsWith("/") ? `${path}index.html` : path)
    await (existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 }))
  })
  return page
}

/** The pages of the API reference come from one template: two of them stand for all. */
const isExamined = (file: string) => !/^api\/(?!index|core\/Errors|payments\/Payments)/.test(file)

/** Without `rules`, all of them. */
const violations = (page: Page, rules?: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  page.evaluate(`axe.run(${JSON.stringify(rules === undefined ? {} : { runOnly: rules })}).then(
    ({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes[0].html + nodes[0].failureSummary))`)

const scrolls = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

/** Whether a drawing does not fit its column. */
const cuts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".diagram")].some(
      ({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1
    )
  )

it(
  "has nothing that axe finds in both themes, and scrolls sideways nowhere",
  { timeout: 30 * minutes },
  async () => {
    const page = await open()
    const found: Array<string> = []
    for (const file of pages.filter(isExamined)) {
      await page.emulateMedia({ colorScheme: "light" })
      await page.goto(`${origin}${file}`)
      await page.locator("h1").first().waitFor()
      await page.evaluate(axe.source)
      for (const one of await violations(page)) found.push(`${file}: ${one}`)
      await page.emulateMedia({ colorScheme: "dark" })
      await page.locator("html.dark").waitFor()
      for (const one of await violations(page, ["color-contrast"])) found.push(`${file}: ${one}`)
      for (const width of [360, 640, 768, 960, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        if (await scrolls(page)) found.push(`${file} scrolls sideways at ${width} pixels`)
        if (await cuts(page)) found.push(`${file} cuts a drawing at ${width} pixels`)
      }
    }
    await page.close()
    assert.deepStrictEqual(found, [])
  }
)

it.each([
  ["OutcomeUnknown", "errors.html#outcomeunknown"],
  ["idempotency", "concepts/keys.html#"],
  ["payout", "guides/payouts.html#"],
  ["postgres", "guides/postgres.html#"],
  ["refund", "guides/transactions.html#"],
  ["timeout", "concepts/retries.html#"],
  ["webhook", "concepts/waiting.html#"]
])("finds %s first", async (word, address) => {
  const page = await open()
  await page.goto(origin)
  await page.getByRole("button", { name: "Search" }).first().click()
  await page.getByRole("searchbox").fill(word)
  await page.locator(`.results > li:first-child a[href*="${address}"]`).waitFor()
  await page.close()
})

it("lists at most 25 pages beside a page, and shows its icon", async () => {
  const page = await open()
  for (const file of ["start.html", "operations.html", "proved.html", "sandbox/index.html"]) {
    await page.goto(origin + file)
    await page.locator(".VPSidebar a").first().waitFor()
    assert.isAtMost(await page.locator(".VPSidebar a").count(), 25)
  }
  const icon = await page.locator("link[rel=icon]").getAttribute("href")
  assert.isTrue(existsSync(join(dist, (icon ?? "").replace("/manilla/", ""))))
  await page.close()
})

it("shows methods first in the API, links types, and lists the fields of errors", async () => {
  const page = await open()
  await page.goto(`${origin}api/payments/Payments.html`)
  const [first] = await page.locator("main h3").allTextContents()
  assert.match(first ?? "", /^create/)
  await page.locator(".VPDocAsideOutline a", { hasText: "collect" }).first().waitFor()
  await page.getByRole("link", { name: "Errors.KeyedWriteError" }).first().click()
  await page.locator("h3#keyedwriteerror").waitFor()
  const entry = page.locator("h3#appliedunreadable ~ div").first()
  assert.include(await entry.innerText(), "readonly reference?: string")
  await page.close()
})

describe("the playground", () => {
  const openPlayground = async (motion?: "no-preference") => {
    const page = await open(motion)
    await page.goto(`${origin}playground/`)
    return page
  }

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click()

  /** The requests of the drawing that begin with this label. */
  const requests = (page: Page, label = "") =>
    page.locator(".drawing li").filter({ has: page.locator("strong", { hasText: label }) })

  const ended = (page: Page, end: string) => page.getByRole("status").getByText(end).waitFor()

  const post = "POST /payments"
  const payment = "Made by the service: 1 payment"
  it.each([
    ["All is well", "The program succeeded.", post, ["201"], payment],
    [
      "A lost response",
      "The program succeeded.",
      post,
      ["response lost", "response lost", "201"],
      payment
    ],
    ["Two 503s", "The program succeeded.", post, ["503", "503", "201"], payment],
    [
      "The same key, another amount",
      "The program failed with UnprocessableError:",
      post,
      ["201", "422"],
      payment
    ],
    [
      "A link without a key",
      "The program failed with UnkeyedOutcomeUnknown:",
      "POST /payment-links",
      ["response lost"],
      "Made by the service: 1 link"
    ],
    [
      "A token that expires",
      "The program succeeded.",
      "POST /auth/application/token",
      ["200", "200"],
      "Made by the service: 4 payments"
    ],
    [
      "A payroll of 20 with faults",
      "The program succeeded.",
      "POST /payouts",
      undefined,
      "Made by the service: 20 payouts"
    ]
  ])("runs to its end: %s", async (name, end, label, statuses, made) => {
    const page = await openPlayground()
    await press(page, name)
    await ended(page, end)
    await page.getByRole("heading", { name: made, exact: true }).waitFor()
    const seen = await requests(page, label).locator(".status").allTextContents()
    if (statuses === undefined) {
      assert.lengthOf(
        seen.filter((status) => status === "200"),
        20
      )
      assert.isAbove(seen.length, 25)
    } else assert.deepStrictEqual(seen, statuses)
    if (end.includes("failed")) await page.locator(".remedy", { hasText: "What to do:" }).waitFor()
    await page.evaluate(axe.source)
    const found = [...(await violations(page))]
    await page.emulateMedia({ colorScheme: "dark" })
    await page.locator("html.dark").waitFor()
    found.push(...(await violations(page, ["color-contrast"])))
    for (const width of [360, 640, 960, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      if (await scrolls(page)) found.push(`scrolls sideways at ${width} pixels`)
    }
    await page.close()
    assert.deepStrictEqual(found, [])
  })

  it("opens with the run of the first scenario", async () => {
    const page = await openPlayground("no-preference")
    await ended(page, "The program succeeded.")
    const seen = await requests(page, post).locator(".status").allTextContents()
    assert.deepStrictEqual(seen, ["response lost", "response lost", "201"])
    await page.close()
  })

  it("draws the run of a proof that failed", async () => {
    const page = await openPlayground()
    await press(page, "A checkout that charges twice")
    await ended(page, "Money moved twice for one order")
    const seen = await requests(page, post).locator(".status").allTextContents()
    assert.deepStrictEqual(seen, ["response lost", "201"])
    await page.close()
  })

  it("stands still until the next step", async () => {
    const page = await openPlayground("no-preference")
    const time = page.locator(".time")
    await ended(page, "The program succeeded.")
    await press(page, "Step")
    for (const expected of ["0.08 s", "0.16 s"]) {
      await time.getByText(expected).waitFor()
      await press(page, "Step")
    }
    // The token has arrived, and the request of the payment is on its way.
    await requests(page, "POST /payments").waitFor()
    await page.getByRole("button", { name: "Continue" }).waitFor()
    await page.getByLabel("Speed").selectOption("at once")
    await press(page, "Continue")
    await ended(page, "The program succeeded.")
    await page.close()
  })

  it("runs after every order of presses", { timeout: 5 * minutes }, async () => {
    const page = await openPlayground("no-preference")
    const errors: Array<string> = []
    page.on("pageerror", ({ message }) => errors.push(message))
    const buttons = page.locator(".stage button")
    const editor = page.getByRole("textbox", { name: "The program" })
    await editor.waitFor()
    const count = await buttons.count()
    // Faults depend on the pauses between presses, so this test waits for real time.
    const presses = FastCheck.sample(
      FastCheck.record({
        button: FastCheck.nat(count),
        pauseMillis: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300))
      }),
      { seed: 49, numRuns: 700 }
    )
    for (const { button, pauseMillis } of presses) {
      await (button === count
        ? editor.press("Control+Enter")
        : buttons.nth(button).evaluate((element: HTMLElement) => element.click()))
      await page.waitForTimeout(pauseMillis)
    }
    await page.getByLabel("Speed").selectOption("at once")
    await press(page, "All is well")
    await ended(page, "The program succeeded.")
    await page.getByRole("heading", { name: payment, exact: true }).waitFor()
    await page.close()
    assert.deepStrictEqual(errors, [])
  })

  it("runs a scenario that is chosen just after Step", async () => {
    const page = await openPlayground()
    await page.getByRole("button", { name: "Step", exact: true }).waitFor()
    await page.evaluate(() => {
      for (const name of ["Step", "All is well"]) {
        const all = document.querySelectorAll<HTMLElement>(".stage button")
        for (const one of all) if (one.textContent?.trim() === name) one.click()
      }
    })
    await ended(page, "The program succeeded.")
    await page.close()
  })

  it("runs what the reader writes, and says why it cannot", async () => {
    const page = await openPlayground()
    const editor = page.getByRole("textbox", { name: "The program" })
    await editor.fill((await editor.inputValue()).replace("count: 2", "count: 3"))
    await press(page, "Run")
    await ended(page, "The program succeeded.")
    assert.strictEqual(await requests(page, post).count(), 4)
    for (const [code, reason] of [
      ["const = 1", "Unexpected token"],
      [`import "left-pad"`, 'There is no module "left-pad" here'],
      ["const program = 1", "The code must export an effect"]
    ] as const) {
      await editor.fill(code)
      await press(page, "Run")
      await page.getByRole("alert").getByText(reason).waitFor()
    }
    // It would block the page, if it did not run beside it.
    await editor.fill(`import { Effect } from "effect"
      export const program = Effect.sync(() => { for (;;); })`)
    await press(page, "Run")
    await press(page, "Stop")
    await page.getByRole("alert").getByText("You stopped it.").waitFor()
    await press(page, "Undo changes")
    await editor.fill((await editor.inputValue()).replace(/{ key: .* }/, "{}"))
    await page
      .getByRole("alert")
      .getByText("collect has no key, so this does not compile")
      .waitFor()
    const withoutKey = `import { Payments } from "@manilla/payments"
      import { Effect } from "effect"
      export const program = Effect.flatMap(Payments.Payments, ({ create }) => create({}, {}))`
    await editor.fill(withoutKey)
    await press(page, "Run")
    await ended(page, "The program failed with InvalidRequestError:")
    await press(page, "Undo changes")
    await press(page, "Run")
    await page.getByRole("heading", { name: payment }).waitFor()
    await page.close()
  })

  it("says that the sandbox cannot be loaded", async () => {
    const page = await open()
    await page.route("**/worker-*.js", (route) => route.abort())
    await page.goto(`${origin}playground/`)
    await page.getByRole("alert").getByText("cannot be loaded").waitFor()
    await page.close()
  })

  it("loads at most 400 kB, which no other page loads", async () => {
    const loaded = async (path: string, use: (page: Page) => Promise<void>) => {
      const page = await open()
      const files = new Set<string>()
      page.on("request", (request) => {
        if (request.url().startsWith(`${origin}assets/`)) files.add(request.url())
      })
      await page.goto(origin + path, { waitUntil: "networkidle" })
      await use(page)
      await page.close()
      return files
    }
    const others = await loaded("start.html", async () => {})
    const files = await loaded("playground/", async (page) => {
      await press(page, "All is well")
      await ended(page, "The program succeeded.")
    })
    const own = [...files].filter((file) => !others.has(file))
    const bytes = own.map(
      (file) => gzipSync(readFileSync(join(dist, file.slice(origin.length)))).length
    )
    assert.isAtLeast(own.length, 2)
    assert.isAtMost(
      bytes.reduce((sum, one) => sum + one, 0),
      400_000
    )
  })
})
