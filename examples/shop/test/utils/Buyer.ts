/**
 * A buyer at the shop, without sockets: the API with its store in memory, on the clock of the test.
 */
import { HttpApiBuilder, HttpApp, HttpServer } from "@effect/platform"
import { assert } from "@effect/vitest"
import type { Payments } from "@manilla/payments"
import { Effect, Layer, Record, Schema, TestClock } from "effect"
import * as Api from "../../src/Api.js"
import type { State } from "../../src/Attempt.js"
import * as Orders from "../../src/Orders.js"
import * as Shop from "../../src/Shop.js"
import { View } from "../../src/View.js"
import * as Worker from "../../src/Worker.js"

/** The shop. After `FAILED` and `CANCELLED` a payment cannot succeed any more. */
export const shop = <Out, E, R, E2 = Orders.StoreError, R2 = never>(
  payments: Layer.Layer<Payments.Payments | Out, E, R>,
  orders: Layer.Layer<Orders.Orders, E2 | Orders.StoreError, R2> = Orders.layer(":memory:")
) =>
  Layer.mergeAll(HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer).pipe(
    Layer.provideMerge(Api.layer),
    Layer.provide(Worker.layer(new Set(["FAILED", "CANCELLED"]))),
    Layer.provideMerge(orders),
    Layer.provideMerge(HttpServer.layerContext),
    Layer.provideMerge(payments)
  )

/** A valid form, if each field takes a name. Add the value of one that does not. */
export const form = {
  ...Record.map(Shop.details, () => "Ama Mensah"),
  product: "beans",
  method: "mtn_bj",
  phone: "+229 01 61 23 45 67"
}

type Form = Readonly<Record<string, string>>

/** Sends a request to the shop. */
const send = (path: string, form?: Form) =>
  Effect.gen(function* () {
    const app = yield* HttpApiBuilder.httpApp
    const handler = HttpApp.toWebHandlerRuntime(yield* Effect.runtime<never>())(app as never)
    const url = `http://shop.test${path}`
    const request =
      form === undefined
        ? new Request(url)
        : new Request(url, { method: "POST", body: new URLSearchParams(form) })
    const response = yield* Effect.promise(() => handler(request))
    const text = yield* Effect.promise(() => response.text())
    return { status: response.status, headers: response.headers, text }
  })

/** Opens a page. */
export const get = (path: string) => send(path)
export const post = (path: string, form: Form) => send(path, form)

/** Orders and pays. Returns the id of the order. */
export const order = (changes: Form = {}) =>
  Effect.gen(function* () {
    const { order: id, ...rest } = { ...form, order: crypto.randomUUID(), ...changes }
    const { headers, status, text } = yield* post("/orders", { ...rest, order: id })
    assert.strictEqual(status, 303, text)
    assert.strictEqual(headers.get("location"), `/orders/${id}`)
    return id
  })

/** Tries to pay again. */
export const tryAgain = (id: string, number: number, changes: Form = {}) => {
  const { method, phone } = form
  return post(`/orders/${id}/attempts`, { number: String(number), method, phone, ...changes })
}

/** The view of the buyer. */
export const see = (id: string) =>
  Effect.flatMap(get(`/orders/${id}/state`), ({ text }) =>
    Schema.decode(Schema.parseJson(View))(text)
  )

/** Lets time pass until the buyer sees a state. Returns what they see then. */
export const until = (id: string, ...states: ReadonlyArray<State>) =>
  Effect.gen(function* () {
    for (let second = 0; second < 5000; second++) {
      const view = yield* see(id)
      if (states.includes(view.state)) return view
      yield* TestClock.adjust("1 second")
      // The driver of the database and the sandbox use the real event loop.
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    }
    return assert.fail(`never ${states.join(" or ")}: ${JSON.stringify(yield* see(id))}`)
  })
