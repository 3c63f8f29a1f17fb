/**
 * The endpoints. A form is answered with a redirect, so reloading a page sends nothing again.
 */
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { secureHeaders } from "hono/secure-headers"
import type { Orders } from "./orders.js"
import * as pages from "./pages.js"
import * as Shop from "./shop.js"

const own = ["'self'"]
const contentSecurityPolicy = { defaultSrc: ["'none'"], styleSrc: own, formAction: own }

const isUuid = (text = "") => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The texts of a form's fields, its payment method, and the rules that they break. */
const read = (form: Readonly<Record<string, unknown>>, fields: Shop.Fields) => {
  const text = (name: string) => String(form[name] ?? "").trim()
  const method = Shop.methods.get(text("method"))
  const wrong = Object.entries(fields)
    .filter(([name, { pattern }]) => !pattern.test(text(name)))
    .map(([, { label, rule }]) => `${label} ${rule}`)
  return { method, text, wrong }
}

const missing = pages.notice("No such order", "Please check the address.")
const incorrect = (wrong: ReadonlyArray<string>) =>
  pages.notice("Please correct the form", ...wrong)

export const make = (orders: Orders) => {
  const app = new Hono()
  app.use(secureHeaders({ contentSecurityPolicy }), bodyLimit({ maxSize: 16_384 }))

  app.get("/style.css", (c) => c.body(pages.style, 200, { "content-type": "text/css" }))

  app.get("/", (c) => c.html(pages.shop(crypto.randomUUID())))

  app.post("/orders", async (c) => {
    const fields = { ...Shop.details, ...Shop.payment }
    const { method, text, wrong } = read(await c.req.parseBody(), fields)
    const product = Shop.products.get(text("product"))
    const id = text("order")
    if (!isUuid(id) || product === undefined || method === undefined || wrong.length > 0) {
      return c.html(incorrect(wrong), 400)
    }
    const details = Object.fromEntries(Object.keys(Shop.details).map((it) => [it, text(it)]))
    const { amount, name } = product
    const order = { id, product: name, amount, currency: Shop.currency, details }
    await orders.place(order)
    // If a form was sent before, the stored order counts. The worker sends: the buyer does not wait for the service.
    const stored = (await orders.find(id))?.order ?? order
    await orders.attempt(id, 1, Shop.requestOf(stored, method, text("phone")))
    return c.redirect(`/orders/${id}`, 303)
  })

  app.get("/orders/:id", async (c) => {
    const placed = await orders.find(c.req.param("id"))
    return placed === undefined ? c.html(missing, 404) : c.html(pages.order(placed))
  })

  app.post("/orders/:id/attempts", async (c) => {
    const placed = await orders.find(c.req.param("id"))
    if (placed === undefined) return c.html(missing, 404)
    const { method, text, wrong } = read(await c.req.parseBody(), Shop.payment)
    if (method === undefined || wrong.length > 0) return c.html(incorrect(wrong), 400)
    const next = placed.attempts.length + 1
    const request = Shop.requestOf(placed.order, method, text("phone"))
    // A form that was sent before has the number of its attempt.
    if (text("number") === String(next)) await orders.attempt(placed.order.id, next, request)
    return c.redirect(`/orders/${placed.order.id}`, 303)
  })

  return app
}
