/**
 * The endpoints. A form is answered with a redirect, so reloading a page sends nothing again.
 */
import { type Context, Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { secureHeaders } from "hono/secure-headers"
import type { Orders } from "./orders.js"
import * as pages from "./pages.js"
import * as Shop from "./shop.js"

const own = ["'self'"]
const contentSecurityPolicy = { defaultSrc: ["'none'"], styleSrc: own, formAction: own }

const isUuid = (text = "") => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The texts of a form, and the page that shows it again if it breaks rules. */
const read = async ({ req }: Context, fields: Shop.Fields) => {
  const form = Object.entries(await req.parseBody()).map(([it, text]) => [it, String(text).trim()])
  const values: Readonly<Record<string, string>> = Object.fromEntries(form)
  const text = (name: string) => values[name] ?? ""
  const rules = Object.entries(fields)
    .filter(([it, { choices, pattern }]) => !(choices?.has(text(it)) ?? pattern.test(text(it))))
    .map(([, { label, rule }]) => `${label} ${rule}.`)
  return { text, wrong: rules.length > 0 && pages.wrong(rules, req.path, fields, values) }
}

export const make = (orders: Orders) => {
  const app = new Hono()
  app.use(secureHeaders({ contentSecurityPolicy }), bodyLimit({ maxSize: 16_384 }))

  app.notFound((c) => c.html(pages.notice("No such page", "Please check the address."), 404))

  app.get("/style.css", (c) => c.body(pages.style, 200, { "content-type": "text/css" }))

  // No cache keeps the pages that follow: each form is for one order.
  app.use((c, next) => {
    c.header("cache-control", "no-store")
    return next()
  })

  app.get("/", (c) => c.html(pages.shop(crypto.randomUUID())))

  app.post("/orders", async (c) => {
    const { text, wrong } = await read(c, Shop.fields)
    if (wrong) return c.html(wrong, 400)
    const product = Shop.products.get(text("product"))
    const id = text("order")
    if (!isUuid(id) || product === undefined) return c.notFound()
    const details = Object.fromEntries(Object.keys(Shop.details).map((it) => [it, text(it)]))
    const { amount, name } = product
    const order = { id, product: name, amount, currency: Shop.currency, details }
    await orders.place(order)
    // If a form was sent before, the stored order counts. The worker sends: the buyer does not wait for the service.
    const stored = (await orders.find(id))?.order ?? order
    await orders.attempt(id, 1, Shop.requestOf(stored, text("method"), text("phone")))
    return c.redirect(`/orders/${id}`, 303)
  })

  app.get("/orders/:id", async (c) => {
    const placed = await orders.find(c.req.param("id"))
    return placed === undefined ? c.notFound() : c.html(pages.order(placed))
  })

  app.post("/orders/:id/attempts", async (c) => {
    const placed = await orders.find(c.req.param("id"))
    if (placed === undefined) return c.notFound()
    const { text, wrong } = await read(c, Shop.payment)
    if (wrong) return c.html(wrong, 400)
    const next = placed.attempts.length + 1
    const request = Shop.requestOf(placed.order, text("method"), text("phone"))
    // A form that was sent before has the number of its attempt.
    if (text("number") === String(next)) await orders.attempt(placed.order.id, next, request)
    return c.redirect(`/orders/${placed.order.id}`, 303)
  })

  return app
}
