// The built site in a real browser, below a path of its own.
import axe from "axe-core"
import * as FastCheck from "effect/FastCheck"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { launch } from "../../packages/sandbox/prove/utils/browser.js"
import { dist, serve } from "../server.js"

const tabs = ["Promises", "Effect"]
const base = "/manilla/"
const minutes = 60_000
const run = promisify(execFile)

let browser: Browser
let site: Awaited<ReturnType<typeof serve>>
let origin: string
let pages: ReadonlyArray<string>
let debuggingPort: number

beforeAll(async () => {
  await run("npx", ["tsx", "site.ts", "--base", base], { cwd: dirname(import.meta.dirname) })
  pages = readdirSync(dist, { encoding: "utf8", recursive: true }).filter((file) =>
    file.endsWith(".html")
  )
  site = await serve(base, 0)
  origin = `http://127.0.0.1:${site.port}${base}`
  // A free port.
  const probe = await serve(base, 0)
  debuggingPort = probe.port
  probe.close()
  browser = await launch(`--remote-debugging-port=${debuggingPort}`)
}, 15 * minutes)
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
afterAll(async () => {
  await browser?.close()
  site?.close()
})

/** Opens a tab. */
const open = async (reducedMotion: "reduce" | "no-preference" = "reduce"): Promise<Page> => {
  const page = await browser.newPage({ colorScheme: "light", reducedMotion })
  page.setDefaultTimeout(minutes)
  return page
}

/** The options leave out what takes time: nodes that pass, and a second download of styles. */
const violations = (page: Page, options?: axe.RunOptions): Promise<ReadonlyArray<string>> =>
  page.evaluate(`axe.run(${JSON.stringify({ resultTypes: ["violations"], preload: false, ...options })}).then(
    ({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes[0].html + nodes[0].failureSummary))`)

/** The drawings, the tables and the page itself, if they do not fit. */
const wide = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() =>
    [...document.querySelectorAll("html, .diagram, .vp-doc table")]
      .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1)
      .map(({ localName, textContent }) => `${localName} ${textContent.trim().slice(0, 40)}`)
  )

/** The violations that axe finds in both themes. */
const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.emulateMedia({ colorScheme: "light" })
  await page.evaluate(axe.source)
  const found = await violations(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await page.locator("html.dark").waitFor()
  return [...found, ...(await violations(page, { runOnly: ["color-contrast"] }))]
}

/** The widths at which the reader would have to scroll sideways. */
const tooWide = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const width of [360, 640, 768, 960, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await wide(page)).map((one) => `at ${width} pixels, too wide: ${one}`))
  }
  return found
}

const problems = async (page: Page): Promise<ReadonlyArray<string>> => [
  ...(await barriers(page)),
  ...(await tooWide(page))
]

/** axe takes seconds for a page. Those of the API have the same markup, so it examines those of three packages. */
const isExamined = (file: string) => !/^api\/(?!(payments|token|workflows)\/)/.test(file)

it("is accessible, and fits every width", { timeout: 30 * minutes }, async () => {
  const found: Array<string> = []
  const left = pages.values()
  const examine = async () => {
    const page = await open()
    for (const file of left) {
      await page.goto(`${origin}${file}`)
      await page.locator("h1").first().waitFor()
      const all = isExamined(file) ? problems(page) : tooWide(page)
      found.push(...(await all).map((one) => `${file}: ${one}`))
    }
  }
  await Promise.all([examine(), examine()])
  assert.deepStrictEqual(found, [])
})

/** The part of a report of Lighthouse that is read. npx installs it: it has 200 packages, which only this test needs. */
interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
}

it.each(["", "start.html", "guides/collect.html", "api/payments/Payments.html", "playground/"])(
  "gets at least 95 from Lighthouse: /%s",
  { timeout: 5 * minutes },
  async (path) => {
    // As on the network of a phone. The processor is shared with other programs, so its time does not count.
    const options = ["--output=json", "--quiet", "--throttling.cpuSlowdownMultiplier=0.1"]
    const { stdout } = await run(
      "npx",
      ["--yes", "lighthouse@12.8.2", origin + path, `--port=${debuggingPort}`, ...options],
      { maxBuffer: Infinity }
    )
    const report: Report = JSON.parse(stdout)
    const categories = Object.entries(report.categories)
    assert.strictEqual(categories.length, 4)
    for (const [name, { score }] of categories) assert.isAtLeast(score ?? 0, 0.95, name)
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
})

it("lists at most 25 pages beside a page, shows its icon, and leads on from an unknown address", async () => {
  const page = await open()
  for (const file of ["start.html", "operations.html", "proved.html", "sandbox/index.html"]) {
    await page.goto(origin + file)
    await page.locator(".VPSidebar a").first().waitFor()
    assert.isAtMost(await page.locator(".VPSidebar a").count(), 25)
  }
  const icon = await page.locator("link[rel=icon]").getAttribute("href")
  assert.isTrue((await page.request.get(new URL(icon ?? "", origin).href)).ok())
  assert.isTrue((await page.request.get(`${origin}start`)).ok())
  assert.strictEqual((await page.goto(`${origin}no/such/page`))?.status(), 404)
  await page.getByRole("main").getByRole("link").click()
  await page.waitForURL(origin)
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
})

describe("the playground", () => {
  const openPlayground = async (motion?: "no-preference") => {
    const page = await open(motion)
    await page.goto(`${origin}playground/`)
    await page.getByRole("status").waitFor()
    return page
  }

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click()

  /** The requests of the drawing that begin with this label. */
  const requests = (page: Page, label = "") =>
    page.locator(".drawing li").filter({ has: page.locator("strong", { hasText: label }) })

  const ended = (page: Page, end: string) =>
    page.getByRole("status").filter({ hasText: end }).waitFor()

  const post = "POST /payments"
  const payment = "Made by the service: 1 payment"
  /** An example, the path of its requests, their ends, the resources that it makes, and its error. */
  type Run = readonly [string, string, RegExp, string | undefined, string?]
  const runs: ReadonlyArray<Run> = [
    ["A lost response", "/payments", /^response lost, response lost, 201$/, "1 payment"],
    ["All is well", "/payments", /^201$/, "1 payment"],
    ["Two 503s", "/payments", /^503, 503, 201$/, "1 payment"],
    ["The same key, another amount", "/payments", /^201, 422$/, "1 payment", "UnprocessableError"],
    [
      "A link without a key",
      "/payment-links",
      /^response lost$/,
      "1 payment link",
      "UnkeyedOutcomeUnknown"
    ],
    ["A token that expires", "/auth/application/token", /^200, 200$/, "3 payments"],
    ["A checkout that charges twice", "/payments", /^response lost, 201$/, undefined, "twice"],
    ["A payroll of 20 with faults", "/payouts", /^(?:.+?, ){25,}/, "20 payouts"]
  ]
  const both = tabs.flatMap((tab) => runs.map((run) => [tab, ...run] as const))
  it.for(both)("runs to its end with %s: %s", async ([tab, name, path, ends, made, error]) => {
    const page = await openPlayground()
    await press(page, tab)
    await press(page, name)
    await ended(page, error ?? "succeeded.")
    const seen = await requests(page, `POST ${path}`).locator(".status").allTextContents()
    assert.match(seen.join(", "), ends)
    if (made !== undefined) await page.getByRole("heading", { name: `service: ${made}` }).waitFor()
    for (const more of await page.getByText("What to do", { exact: true }).all()) await more.click()
    assert.deepStrictEqual(await problems(page), [])
  })

  it("opens with the run of the first example", async () => {
    const page = await openPlayground("no-preference")
    await ended(page, "The program succeeded.")
    const seen = await requests(page, post).locator(".status").allTextContents()
    assert.deepStrictEqual(seen, ["response lost", "response lost", "201"])
    const height = 844
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height })
      for (const selector of [".ending table", ".drawing li:first-child"]) {
        const box = await page.locator(selector).boundingBox()
        assert.isAtMost((box?.y ?? Infinity) + (box?.height ?? 0), height, selector)
      }
    }
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
  })

  it("runs after every order of presses", { timeout: 5 * minutes }, async () => {
    const page = await openPlayground("no-preference")
    const errors: Array<string> = []
    page.on("pageerror", ({ message }) => errors.push(message))
    const buttons = page.locator(".stage button")
    const editor = page.getByRole("textbox", { name: "The program" })
    await editor.waitFor()
    const count = await buttons.count()
    // Faults depend on the pauses between presses, so this test waits for real time: for a minute.
    const endMillis = Date.now() + minutes
    const presses = FastCheck.sample(
      FastCheck.record({
        button: FastCheck.nat(count),
        pauseMillis: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300))
      }),
      { seed: 49, numRuns: 700 }
    )
    for (const { button, pauseMillis } of presses) {
      if (Date.now() > endMillis) break
      await (button === count
        ? editor.press("Control+Enter")
        : buttons.nth(button).evaluate((element: HTMLElement) => element.click()))
      await page.waitForTimeout(pauseMillis)
    }
    await page.getByLabel("Speed").selectOption("at once")
    await press(page, "All is well")
    await ended(page, "The program succeeded.")
    await page.getByRole("heading", { name: payment, exact: true }).waitFor()
    assert.deepStrictEqual(errors, [])
  })

  it("runs an example that is chosen just after Step", async () => {
    const page = await openPlayground()
    await page.locator(".stage button").evaluateAll((buttons: Array<HTMLElement>) => {
      for (const name of ["Step", "All is well"]) {
        buttons.find(({ textContent }) => textContent?.trim() === name)?.click()
      }
    })
    await ended(page, "The program succeeded.")
  })

  it("runs what the reader writes, and says why it cannot", async () => {
    const page = await openPlayground()
    const editor = page.getByRole("textbox", { name: "The program" })
    await editor.fill((await editor.inputValue()).replace("count: 2", "count: 3"))
    await editor.press("Control+Enter")
    await ended(page, "The program succeeded.")
    assert.isTrue(await editor.evaluate((element) => element === document.activeElement))
    assert.strictEqual(await requests(page, post).count(), 4)
    for (const [code, reason] of [
      ["const = 1", "Unexpected token"],
      [`import "left-pad"`, 'There is no module "left-pad" here'],
      ["const program = 1", "The code must export an effect or an async function"]
    ] as const) {
      await editor.fill(code)
      await press(page, "Run")
      await page.getByRole("alert").getByText(reason).waitFor()
    }
    // The check before the run does not see that this key is missing.
    await editor.fill(`import { Payments } from "@manilla/payments"
      import { Effect } from "effect"
      export const program = Effect.flatMap(Payments.Payments, ({ create }) => create({}, {}))`)
    await press(page, "Run")
    await ended(page, "The program failed with InvalidRequestError:")
    // It would block the page, if it did not run beside it.
    await editor.fill(`import { Effect } from "effect"
      export const program = Effect.sync(() => { for (;;); })`)
    await press(page, "Run")
    await press(page, "Stop")
    await page.getByRole("alert").getByText("You stopped it.").waitFor()
  })

  it.each(tabs)("marks a write without its key: %s", async (tab) => {
    const page = await openPlayground()
    const editor = page.getByRole("textbox", { name: "The program" })
    await press(page, tab)
    await editor.fill((await editor.inputValue()).replace(/{ key: .* }/, "{}"))
    await page
      .getByRole("alert")
      .getByText("collect has no key, so this does not compile")
      .waitFor()
    assert.match((await page.locator(".pce-line.wrong").innerText()).trim(), /payments\.collect\($/)
    await press(page, "Undo changes")
    await page.locator(".pce-line.wrong").waitFor({ state: "detached" })
    await press(page, "Run")
    await page.getByRole("heading", { name: payment }).waitFor()
  })

  it("says that the sandbox cannot be loaded", async () => {
    const page = await open()
    await page.route("**/worker-*.js", (route) => route.abort())
    await page.goto(`${origin}playground/`)
    await page.getByRole("alert").getByText("cannot be loaded").waitFor()
  })

  it("loads at most 400 kB, which no other page loads", async () => {
    const loaded = async (path: string) => {
      const page = await open()
      const files = new Set<string>()
      page.on("request", (request) => files.add(request.url()))
      await page.goto(origin + path, { waitUntil: "networkidle" })
      return files
    }
    const others = await loaded("start.html")
    const own = [...(await loaded("playground/"))].filter(
      (url) => url.startsWith(`${origin}assets/`) && !others.has(url)
    )
    const kilobytes = own.map(
      (url) => gzipSync(readFileSync(join(dist, url.slice(origin.length)))).length / 1000
    )
    assert.isTrue(own.some((url) => url.includes("/worker-")))
    assert.isAtMost(
      kilobytes.reduce((sum, one) => sum + one, 0),
      400
    )
  })
})
