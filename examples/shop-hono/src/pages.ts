/**
 * The pages. `html` escapes each value. They need no scripts: while a payment moves, a page loads itself again.
 */
import { html } from "hono/html"
import type { Placed } from "./orders.js"
import * as Shop from "./shop.js"
import { viewOf } from "./view.js"

/** `order` makes a form that is sent twice one order. */
export const shop = (order: string) => page(Shop.name, form("/orders", Shop.fields, { order }))

/** A form that was sent, with what the buyer entered, and the rules that it breaks. */
export const wrong = (rules: ReadonlyArray<string>, ...it: Parameters<typeof form>) =>
  page("Please correct the form", html`${paragraphs(rules)} ${form(...it)}`)

export const order = ({ attempts, order }: Placed) => {
  const last = attempts.at(-1)
  const { state, text, title } = viewOf(last)
  const entered = last && Shop.enteredFor(last.request)
  const again = { number: String(attempts.length + 1), ...entered }
  const lines = [
    `${order.product}: ${order.amount} ${order.currency}`,
    ...Object.entries(order.details).map(([it, text]) => `${Shop.fields[it]?.label ?? it}: ${text}`)
  ]
  return page(
    title,
    html`<p role="status">${text}</p>
      ${state === "Unpaid" ? form(`/orders/${order.id}/attempts`, Shop.payment, again) : ""}
      ${paragraphs(lines)}`,
    state === "Starting" || state === "Pending"
  )
}

export const notice = (title: string, text: string) => page(title, html`<p>${text}</p>`)

const paragraphs = (lines: ReadonlyArray<string>) => lines.map((line) => html`<p>${line}</p>`)

/** A form with these fields. Other values are hidden. */
const form = (action: string, fields: Shop.Fields, values: Readonly<Record<string, string>>) =>
  html`<form method="post" action="${action}">
    ${Object.keys({ ...values, ...fields }).map((name) => control(name, values[name] ?? ""))}
    <button>${"product" in fields ? "Order and pay" : "Try again"}</button>
    <p>You approve the payment on your phone. We never ask for your PIN.</p>
  </form>`

const control = (name: string, value: string) => {
  const field = Shop.fields[name]
  if (field === undefined) return html`<input type="hidden" name="${name}" value="${value}" />`
  const { choices, label, pattern } = field
  const required = pattern.test("") ? "" : "required"
  const input = html`<input name="${name}" value="${value}" ${required} />`
  const options = [...(choices ?? [])].map(
    ([id, text]) => html`<option value="${id}" ${id === value ? "selected" : ""}>${text}</option>`
  )
  const select = html`<select name="${name}">
    ${options}
  </select>`
  return html`<label>${label} ${choices === undefined ? input : select}</label>`
}

const page = (title: string, main: ReturnType<typeof html>, isMoving = false) =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <link rel="stylesheet" href="/style.css" />
      <title>${title}</title>
      ${isMoving ? html`<meta http-equiv="refresh" content="2" />` : ""}
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
