/**
 * The pages: what they show, and what they do not let through.
 */
import { assert, it, vi } from "@effect/vitest"
import { Payments } from "@manilla/payments"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import * as Buyer from "./utils/Buyer.js"
import * as Shop from "../src/Shop.js"

const shop = Buyer.shop(Layer.mock(Payments.Payments, { create: () => Effect.never }))

it.effect("the shop asks for each field, and offers each product and payment method", () =>
  Effect.gen(function* () {
    const { headers, status, text } = yield* Buyer.get("/")
    assert.strictEqual(status, 200)
    for (const field of Object.keys({ ...Shop.details, ...Shop.payment })) {
      assert.include(text, `name="${field}"`)
    }
    for (const it of Object.keys({ ...Shop.products, ...Shop.methods })) {
      assert.include(text, `value="${it}"`)
    }
    assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
  }).pipe(Effect.provide(shop))
)

it.effect("the policy of a page allows exactly its style and its script", () =>
  Effect.gen(function* () {
    const id = yield* Buyer.order()
    const { headers, text } = yield* Buyer.get(`/orders/${id}`)
    const inline = [...text.matchAll(/<(style|script)[^>]*>([^]*?)<\/\1>/g)]
    assert.lengthOf(inline, 2)
    for (const [, name = "", content = ""] of inline) {
      const hash = createHash("sha256").update(content).digest("base64")
      assert.include(headers.get("content-security-policy"), `${name}-src 'sha256-${hash}'`)
    }
  }).pipe(Effect.provide(shop))
)

it.effect("the page of an order loads again when the buyer has something else to read", () =>
  Effect.gen(function* () {
    const { text } = yield* Buyer.get(`/orders/${yield* Buyer.order()}`)
    const [, title] = /<h2>(.*?)<\/h2>/.exec(text) ?? []
    const [, script = ""] = /<script>([^]*?)<\/script>/.exec(text) ?? []
    const reload = vi.fn()
    const looks: Array<() => Promise<void>> = []
    let view = { state: "Starting", title }
    const page = {
      document: { querySelector: () => ({ textContent: title }) },
      fetch: async () => Response.json(view),
      location: { pathname: "/", reload },
      setInterval: (look: () => Promise<void>) => looks.push(look)
    }
    new Function(...Object.keys(page), script)(...Object.values(page))
    const look = Effect.promise(() => Promise.all(looks.map((look) => look())))
    yield* look
    assert.strictEqual(reload.mock.calls.length, 0)
    view = { state: "Starting", title: "We are verifying your payment" }
    yield* look
    assert.strictEqual(reload.mock.calls.length, 1)
  }).pipe(Effect.provide(shop))
)

it.effect("an order shows its fields as text", () =>
  Effect.gen(function* () {
    const id = yield* Buyer.order({ name: `<script>alert("1")</script>` })
    const { text } = yield* Buyer.get(`/orders/${id}`)
    assert.include(text, "&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;")
    assert.notInclude(text, Buyer.form.phone)
  }).pipe(Effect.provide(shop))
)

it.effect("a wrong form keeps its values, names each field and its rule, and orders nothing", () =>
  Effect.gen(function* () {
    const id = crypto.randomUUID()
    const wrong = { ...Buyer.form, order: id, name: " ", phone: "nobody", method: "cash" }
    const { status, text } = yield* Buyer.post("/orders", wrong)
    assert.strictEqual(status, 400)
    assert.include(text, "<h2>Please correct the form</h2>")
    assert.include(text, "Your name: must not be empty")
    assert.include(text, "Mobile money number: must be a phone number")
    assert.include(text, "Pay with: must be one of the list")
    assert.include(text, `action="/orders"`)
    assert.include(text, `name="order" value="${id}"`)
    assert.include(text, `value="nobody"`)
    assert.include(text, `<option value="beans" selected>`)
    assert.strictEqual((yield* Buyer.get(`/orders/${id}`)).status, 404)
  }).pipe(Effect.provide(shop))
)

it.effect("a page that does not exist has the headers of the others", () =>
  Effect.gen(function* () {
    for (const path of ["/favicon.ico", "/orders/none"]) {
      const { headers, status, text } = yield* Buyer.get(path)
      assert.strictEqual(status, 404)
      assert.include(text, "No such page")
      assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    }
  }).pipe(Effect.provide(shop))
)
