/**
 * The API: its declaration, and what each endpoint does. A form is answered with a redirect, so reloading a
 * page sends nothing again.
 */
import {
  FileSystem,
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiSchema,
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { Cause, Effect, Layer, Option, Schema } from "effect"
import { Orders, type Placed, type StoreError } from "./Orders.js"
import * as Page from "./Page.js"
import * as Shop from "./Shop.js"
import { View, viewOf } from "./View.js"
import { Worker } from "./Worker.js"

const Html = HttpApiSchema.Text({ contentType: "text/html" })
const Redirect = HttpApiSchema.Empty(303)
const path = Schema.Struct({ id: Schema.String })

/** All wrong fields are named, not only the first one. */
const all = { parseOptions: { errors: "all" } } as const
const asForm = { kind: "UrlParams" } as const

const placing = { order: Schema.UUID, product: Shop.product, ...Shop.details, ...Shop.payment }
const Placing = Schema.Struct(placing).annotations(all).pipe(HttpApiSchema.withEncoding(asForm))

const trying = { number: Schema.NumberFromString.pipe(Schema.int()), ...Shop.payment }
const Trying = Schema.Struct(trying).annotations(all).pipe(HttpApiSchema.withEncoding(asForm))

export const api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders")
    .add(HttpApiEndpoint.get("shop", "/").addSuccess(Html))
    .add(HttpApiEndpoint.post("place", "/orders").setPayload(Placing).addSuccess(Redirect))
    .add(HttpApiEndpoint.get("order", "/orders/:id").setPath(path).addSuccess(Html))
    .add(
      HttpApiEndpoint.post("tryAgain", "/orders/:id/attempts")
        .setPath(path)
        .setPayload(Trying)
        .addSuccess(Redirect)
    )
    .add(
      HttpApiEndpoint.get("state", "/orders/:id/state")
        .setPath(path)
        .addSuccess(View)
        .addError(HttpApiError.NotFound)
        .addError(HttpApiError.ServiceUnavailable)
    )
)

const page = (status: number, text: string) =>
  HttpServerResponse.html(text).pipe(HttpServerResponse.setStatus(status))

const unavailable = page(
  503,
  Page.notice(
    "Please reload this page",
    "We cannot read or store orders now. If you have ordered, your order does not get lost, and reloading does not order or pay again."
  )
)

const missing = page(404, Page.notice("No such page", "Please check the address."))

const handlers = HttpApiBuilder.group(api, "orders", (handlers) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const worker = yield* Worker

    type Response = HttpServerResponse.HttpServerResponse

    const orUnavailable = (response: Effect.Effect<Response, StoreError>) =>
      Effect.catchAll(response, ({ cause }) =>
        Effect.as(Effect.logError("The store failed", cause), unavailable)
      )

    const withOrder = (id: string, use: (placed: Placed) => Effect.Effect<Response, StoreError>) =>
      Effect.flatMap(
        orders.find(id),
        Option.match({ onNone: () => Effect.succeed(missing), onSome: use })
      ).pipe(orUnavailable)

    const toOrder = (id: string) => HttpServerResponse.redirect(`/orders/${id}`, { status: 303 })

    /** Stores a request with its key, and tells the worker. The buyer does not wait for the service. */
    const pay = (number: number, ...[order, payment]: Parameters<typeof Shop.requestOf>) =>
      orders
        .attempt(order.id, number, Shop.requestOf(order, payment))
        .pipe(Effect.zipRight(worker.wake), Effect.as(toOrder(order.id)))

    return handlers
      .handle("shop", () => Effect.sync(() => page(200, Page.shop(crypto.randomUUID()))))
      .handle("place", ({ payload: { method, order: id, phone, product, ...details } }) => {
        const { amount, name } = Shop.products[product]
        const order = { id, product: name, amount, currency: Shop.currency, details }
        // If a form was sent before, the stored order counts: its product, and its amount.
        const payIt = withOrder(id, ({ order }) => pay(1, order, { method, phone }))
        return orUnavailable(Effect.zipRight(orders.place(order), payIt))
      })
      .handle("order", ({ path }) =>
        withOrder(path.id, (placed) => Effect.succeed(page(200, Page.order(placed))))
      )
      .handle("tryAgain", ({ path, payload: { number, ...payment } }) =>
        // A form that was sent before has the number of its attempt.
        withOrder(path.id, ({ attempts, order }) =>
          number === attempts.length + 1
            ? pay(number, order, payment)
            : Effect.succeed(toOrder(order.id))
        )
      )
      .handle("state", ({ path }) =>
        orders.find(path.id).pipe(
          Effect.mapError(() => new HttpApiError.ServiceUnavailable()),
          Effect.flatMap(Effect.mapError(() => new HttpApiError.NotFound())),
          Effect.map(({ attempts }) => viewOf(attempts.at(-1)))
        )
      )
  })
)

const headers = {
  "content-security-policy": Page.policy,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** Shows a form again, and names each field and the rule that it breaks. */
const wrong = ({ issues }: HttpApiError.HttpApiDecodeError) => {
  const rules = issues.map(({ message, path }) => `${Page.labelOf(path.join("."))}: ${message}`)
  return Effect.gen(function* () {
    const { url, urlParamsBody } = yield* HttpServerRequest.HttpServerRequest
    return page(400, Page.wrong(url, Object.fromEntries(yield* Effect.orDie(urlParamsBody)), rules))
  })
}

const middleware = HttpApiBuilder.middleware((app) =>
  app.pipe(
    Effect.catchAllCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof HttpServerError.RouteNotFound) return Effect.succeed(missing)
      if (error instanceof HttpApiError.HttpApiDecodeError) return wrong(error)
      return Effect.failCause(cause)
    }),
    Effect.map(HttpServerResponse.setHeaders(headers)),
    HttpIncomingMessage.withMaxBodySize(Option.some(FileSystem.KiB(16)))
  )
)

export const layer = HttpApiBuilder.api(api).pipe(Layer.provide(handlers), Layer.merge(middleware))
