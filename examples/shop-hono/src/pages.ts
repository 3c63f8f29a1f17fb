/**
 * The pages. `html` escapes each value. They need no scripts: while a payment moves, a page loads itself again.
 */
import { html } from "hono/html"
import type { Placed } from "./orders.js"
import * as Shop from "./shop.js"
import { viewOf } from "./view.js"

type Html = ReturnType<typeof html>

/** `order` makes a form that is sent twice one order. */
export const shop = (order: string) =>
  page(
    Shop.name,
    html`<form method="post" action="/orders">
      <input type="hidden" name="order" value="${order}" />
      ${select("Product", "product", products)} ${inputs(Shop.details)} ${payment}
      <button>Order and pay</button>
      <p>You approve the payment on your phone. We never ask for your PIN.</p>
    </form>`
  )

const labelOf = (name: string) => Shop.details[name]?.label ?? name

export const order = ({ attempts, order }: Placed) => {
  const { state, text, title } = viewOf(attempts.at(-1))
  const again = html`<form method="post" action="/orders/${order.id}/attempts">
    <input type="hidden" name="number" value="${attempts.length + 1}" />
    ${payment}
    <button>Pay ${order.amount} ${order.currency}</button>
  </form>`
  const lines = [
    `${order.product}: ${order.amount} ${order.currency}`,
    ...Object.entries(order.details).map(([it, text]) => `${labelOf(it)}: ${text}`)
  ]
  return page(
    title,
    html`<p role="status">${text}</p>
      ${state === "Unpaid" ? again : ""} ${lines.map((line) => html`<p>${line}</p>`)}`,
    state === "Starting" || state === "Pending" ? refresh : ""
  )
}

export const notice = (title: string, ...lines: ReadonlyArray<string>) =>
  page(title, html`${lines.map((line) => html`<p>${line}</p>`)}`)

const refresh = html`<meta http-equiv="refresh" content="2" />`

const inputs = (fields: Shop.Fields) =>
  Object.entries(fields).map(
    ([name, { label, pattern }]) =>
      html`<label>${label} <input name="${name}" ${pattern.test("") ? "" : "required"} /></label>`
  )

const select = (label: string, name: string, texts: ReadonlyArray<readonly [string, string]>) => {
  const options = texts.map(([id, text]) => html`<option value="${id}">${text}</option>`)
  const control = html`<select name="${name}">
    ${options}
  </select>`
  return html`<label>${label} ${control}</label>`
}

const products = [...Shop.products].map(
  ([id, { amount, name }]) => [id, `${name}: ${amount} ${Shop.currency}`] as const
)

const methods = [...Shop.methods].map(([id, { name }]) => [id, name] as const)

const payment = html`${select("Pay with", "method", methods)} ${inputs(Shop.payment)}`

const page = (title: string, main: Html, head: Html | "" = "") =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <link rel="stylesheet" href="/style.css" />
      <title>${title}</title>
      ${head}
      <main>
        <p><a href="/">${Shop.name}</a></p>
        <h1>${title}</h1>
        ${main}
      </main>
    </html>`

export const style = `
:root { color-scheme: light dark; --accent: light-dark(#0b6b4f, #5fd0a5) }
* { box-sizing: border-box } main { max-width: 30rem; margin: 0 auto; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem } a { color: var(--accent) } label { display: block; margin: 0 0 1rem }
input, select, button { font: inherit; width: 100%; min-height: 2.75rem }
button { background: var(--accent); color: light-dark(#fff, #06231a); border: 0; border-radius: .5rem; font-weight: 700 }`
