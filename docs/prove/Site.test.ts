// The built site in a real browser, below a path of its own.
import axe from "axe-core"
import { execFile } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, it } from "vitest"
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
const open = async (): Promise<Page> => {
  const page = await browser.newPage({ colorScheme: "light", reducedMotion: "reduce" })
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
      }
    }
    await page.close()
    assert.deepStrictEqual(found, [])
  }
)

it.each([
  ["OutcomeUnknown", "errors.html#outcomeunknown"],
  ["webhook", "concepts/waiting.html#waiting"],
  ["refund", "guides/transactions.html#refunds"]
])("finds %s", async (word, address) => {
  const page = await open()
  await page.goto(origin)
  await page.getByRole("button", { name: "Search" }).first().click()
  await page.getByRole("searchbox").fill(word)
  await page.locator(`.results a[href$="${address}"]`).first().waitFor()
  await page.close()
})
