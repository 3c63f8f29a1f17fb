// Makes the pictures of the sandbox's pages in docs/sandbox/pictures, and of a runner's page in docs/pictures.
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { launch } from "../packages/sandbox/prove/utils/browser.js"
import * as runner from "../packages/workflows/prove/utils/runner.js"
import { link, sendFourTimes, start } from "../packages/sandbox/test/utils/service.js"
import { root } from "./packages.js"

const service = await start({ settleAfter: "1 hour", seed: 1 })
const browser = await launch()
type Page = Awaited<ReturnType<typeof browser.newPage>>

const take = async (
  name: string,
  address: string,
  ready: string,
  [width, height, colorScheme = "light"]: readonly [number, number, ("light" | "dark")?],
  use: (page: Page) => Promise<unknown> = async () => {}
) => {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme })
  await page.goto(new URL(address, service.origin).href)
  await page.getByText(ready).first().waitFor()
  await use(page)
  await page.screenshot({ path: join(root, "docs/sandbox/pictures", name) })
  await page.close()
}

await service.pay("order-41")
await service.sandbox.advance({ seconds: 3600 }).pipe(Effect.runPromise)
service.renew()
await sendFourTimes(service, "order-42")
await service.pay("order-43")
await service.pay("order-43", { amount: "2000" })
const metadata = { merchant: "Chez Awa" }
const checkout = await service.createLink({ ...link, description: "Running shoes", metadata })

await take("overview.png", "/", "Money by currency", [900, 560])
await take("requests.png", "/#requests?find=order-42", "Why? 4 requests", [900, 860])
await take("phone.png", "/#requests", "order-42", [390, 640, "dark"])
await take(
  "request.png",
  "/#requests?find=422",
  "IDEMPOTENCY_KEY_REUSED",
  [1200, 760],
  async (page) => {
    await page
      .getByRole("button", { name: /^#\d+ / })
      .first()
      .click()
    await page.getByRole("region", { name: "Response body" }).waitFor()
  }
)
await take("faults.png", "/#faults", "Add a fault", [900, 640], async (page) => {
  await page.getByRole("button", { name: "Add fault" }).click()
  await page.locator("#faults li").waitFor()
})
await take("checkout.png", checkout, "Chez Awa", [390, 640])
await take("checkout-fr.png", `${checkout}?lang=fr`, "Payer", [390, 640, "dark"])

await runner.during(runner.make(runner.several), (url) =>
  take("../../pictures/runner.png", url, "Token", [900, 730], (page) =>
    runner.enter(page, `${url}#execution?key=salary:E002`)
  )
)
await runner.during(runner.make(runner.payroll, { concurrency: 100 }), (url) =>
  take("../../pictures/runner-batch.png", url, "Token", [900, 980], async (page) => {
    await runner.enter(page, `${url}#execution?key=payroll:2026-11`)
    await page.getByText("E1733").waitFor()
  })
)

await browser.close()
await service.close()
