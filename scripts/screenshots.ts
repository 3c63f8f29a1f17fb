// Makes the pictures of the sandbox's page in docs/sandbox/pictures.
import { join } from "node:path"
import { launch } from "../packages/sandbox/prove/utils/browser.js"
import { sendFourTimes, start } from "../packages/sandbox/test/utils/service.js"
import { root } from "./packages.js"

const service = await start({ settleAfter: "1 hour", seed: 1 })
const browser = await launch()
const take = async (
  name: string,
  address: string,
  ready: string,
  [width, height]: readonly [number, number],
  use: (page: Awaited<ReturnType<typeof browser.newPage>>) => Promise<unknown> = async () => {}
) => {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.goto(address)
  await page.locator(ready).first().waitFor()
  await use(page)
  await page.screenshot({ path: join(root, "docs/sandbox/pictures", name) })
  await page.close()
}

await sendFourTimes(service, "order-42")
await service.pay("order-43")
const checkout = await service.createLink({ description: "Running shoes" })

await take("requests.png", service.origin, "#journal tbody tr", [900, 640], async (page) => {
  await page.getByRole("button", { name: "order-42" }).first().click()
  await page.getByRole("heading", { name: "Why?" }).waitFor()
})
await take(
  "faults.png",
  `${service.origin}/#faults`,
  "#fault-description:not(:empty)",
  [900, 640],
  async (page) => {
    await page.getByRole("button", { name: "Add fault" }).click()
    await page.locator("#faults li").waitFor()
  }
)
await take("checkout.png", checkout, "form", [360, 400])

await browser.close()
await service.close()
