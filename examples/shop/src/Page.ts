/**
 * The pages, as text. `html` escapes each value that is not a part of a page itself.
 */
import { Option, Record, Schema, SchemaAST } from "effect"
import { createHash } from "node:crypto"
import { type Attempt, open } from "./Attempt.js"
import type { Order, Placed } from "./Orders.js"
import * as Shop from "./Shop.js"
import { money, viewOf } from "./View.js"

class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | ReadonlyArray<Html>

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(textOf).join("")
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(textOf)))

/** The page of the shop: the form of an order. `order` makes a form that is sent twice one order. */
export const shop = (order: string): string =>
  page(Shop.name, form("/orders", { order, ...Record.map(fields, () => "") }, "Order and pay"))

/** A form that was sent, with what the buyer entered, and the rules that it breaks. */
export const wrong = (action: string, values: Values, rules: ReadonlyArray<string>): string =>
  page(
    "Please correct the form",
    html`<h2>Please correct the form</h2>
      ${form(action, values, "Pay", rules)}`
  )

/** The page of an order: what became of its payment, what was ordered, and the form of another attempt. */
export const order = ({ attempts, order }: Placed): string => {
  const last = attempts.at(-1)
  const { state, text, title } = viewOf(last)
  const entered = last === undefined ? { method: "", phone: "" } : Shop.enteredFor(last.request)
  const again = { number: String(attempts.length + 1), ...entered }
  const pay = `Pay ${money(order.amount, order.currency)}`
  return page(
    title,
    html`${card(title, text, state)}
    ${state === "Unpaid" ? form(`/orders/${order.id}/attempts`, again, pay) : ""}
    ${summary(order, attempts)}`,
    open.includes(state)
  )
}

type Values = Readonly<Record<string, string>>

/** A form: a control for each field with a label. The others are hidden. */
const form = (action: string, values: Values, button: string, rules: ReadonlyArray<string> = []) =>
  html`<form class="card" method="post" action="${action}">
    ${rules.map((rule) => html`<p role="alert">${rule}</p>`)}
    ${Object.entries(values).map(([name, value]) => control(name, value))}
    <button>${button}</button>
    <p>You approve the payment on your phone. We never ask for your PIN.</p>
  </form>`

const summary = (order: Order, attempts: ReadonlyArray<Attempt>): Html => {
  const rows = [
    ["Order", order.id.slice(0, 8).toUpperCase()],
    ["Product", order.product],
    ["Amount", money(order.amount, order.currency)],
    ...Object.entries(order.details).map(([name, value]) => [labelOf(name), value]),
    ...attempts.slice(0, -1).map((it) => [`Try ${it.number}`, viewOf(it).title])
  ]
  const row = ([term = "", value = ""]: ReadonlyArray<string>) =>
    html`<dt>${term}</dt>
      <dd>${value}</dd>`
  return html`<dl class="card">${rows.map(row)}</dl>`
}

/** A page that says one thing. */
export const notice = (title: string, text: string): string => page(title, card(title, text))

const card = (title: string, text: string, state = "") =>
  html`<section class="card ${state}" data-state="${state}" aria-live="polite">
    <h2>${title}</h2>
    <p>${text}</p>
  </section>`

type Fields = Readonly<Record<string, Schema.Schema.AnyNoContext>>

const fields: Fields = { product: Shop.product, ...Shop.details, ...Shop.payment }

/** The label of a field: the title of its schema. */
export const labelOf = (name: string): string =>
  fields[name]?.pipe(({ ast }) => Option.getOrUndefined(SchemaAST.getTitleAnnotation(ast))) ?? name

const choices: Readonly<Record<string, Values>> = {
  product: Record.map(Shop.products, (it) => `${it.name}: ${money(it.amount, Shop.currency)}`),
  method: Record.map(Shop.methods, ({ name }) => name)
}

const control = (name: string, value: string): Html => {
  const schema = fields[name]
  if (schema === undefined) return html`<input type="hidden" name="${name}" value="${value}" />`
  const texts = choices[name]
  const control = texts === undefined ? input(name, value, schema) : select(name, value, texts)
  return html`<label>${labelOf(name)} ${control}</label>`
}

const input = (name: string, value: string, schema: Fields[string]): Html => {
  const type = name === "phone" ? "tel" : "text"
  const required = Option.isNone(Schema.decodeUnknownOption(schema)("")) ? "required" : ""
  return html`<input name="${name}" type="${type}" value="${value}" ${required} />`
}

const select = (name: string, value: string, texts: Values): Html => {
  const option = ([id, text]: readonly [string, string]) =>
    html`<option value="${id}" ${id === value ? "selected" : ""}>${text}</option>`
  return html`<select name="${name}">
    ${Object.entries(texts).map(option)}
  </select>`
}

const style = `
:root { color-scheme: light dark; --accent: light-dark(#0b6b4f, #5fd0a5); --on: light-dark(#fff, #06231a);
  --card: light-dark(#fff, #1b1f1e); --line: light-dark(#c9d1cd, #4a524f); --soft: light-dark(#55605b, #a9b5b0) }
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f3f5f4, #111413);
  color: light-dark(#17201c, #eef3f0) }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem }
h1 { font-size: 1.25rem; margin: 0 0 1rem } h2 { font-size: 1.4rem; line-height: 1.2; margin: 0 0 .5rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem;
  margin: 0 0 1rem } .card p:last-child { margin-bottom: 0 }
section.card { border-left: .35rem solid var(--line) } section.Paid { border-left-color: var(--accent) }
section.Pending, section.Starting { border-left-color: light-dark(#b77400, #f0b64a) }
section.Unpaid, section.Review { border-left-color: light-dark(#b3261e, #ff8a80) }
label { display: block; font-weight: 600; margin: 0 0 1rem }
input, select, button { font: inherit; width: 100%; min-height: 2.75rem; padding: .5rem .75rem;
  border: 1px solid var(--soft); border-radius: .5rem; background: var(--card); color: inherit }
button { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 700; cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1rem } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere } a { color: var(--accent) } h1 a { color: inherit; text-decoration: none }
`

/** Loads the page again when the buyer has something else to read. */
const script = `
const shown = document.querySelector("[data-state] h2").textContent
setInterval(async () => {
  const answer = await fetch(location.pathname + "/state").catch(() => undefined)
  if (answer?.ok && (await answer.json()).title !== shown) location.reload()
}, 1500)
`

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** For `Content-Security-Policy`: nothing runs on the page except what is in this file. */
export const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`
].join("; ")

/** The content as it is: its hash is in the policy. */
const inline = (tag: string, content: string) => new Html(`<${tag}>${content}</${tag}>`)

const page = (title: string, main: Html, isMoving = false): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${inline("style", style)}
        ${isMoving ? html`<noscript><meta http-equiv="refresh" content="3" /></noscript>` : ""}
      </head>
      <body>
        <main>
          <h1><a href="/">${Shop.name}</a></h1>
          ${main}
        </main>
        ${isMoving ? inline("script", script) : ""}
      </body>
    </html>`.text
