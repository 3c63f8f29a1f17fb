/**
 * A shop answers its buyers while the service fails in different ways.
 * Takes 11 seconds.
 */
import {
  FetchHttpClient,
  HttpApiBuilder,
  HttpClient,
  HttpClientRequest,
  HttpServer
} from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Fault } from "@manilla/sandbox"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Shop from "./Shop.js"

const operation = "Payments.create"
const phone = "+2290161234567"

const orders = new Map(
  ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((order) => [order, "1500"])
)

/** Under each key, the service returns the payment of somebody else. */
const anotherPayment = JSON.stringify({
  success: true,
  data: {
    id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
    amount: "9000.0000",
    currency: "XOF",
    status: "COMPLETED"
  }
})

const inject = (fault: Fault.Fault) => Example.onSandbox(({ faults }) => faults.add(fault))

/** Sends the request of a browser, and prints the answer. */
const pay = (title: string, order: string, number = phone) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(`/orders/${order}/payment`).pipe(
      HttpClientRequest.bodyUnsafeJson({ phone: number })
    )
    const { headers, status, text } = yield* client.execute(request)
    const retryAfter = headers["retry-after"]
    const suffix = retryAfter === undefined ? "" : ` Retry-After: ${retryAfter}`
    yield* Timeline.print(String(status), `${title}: ${yield* text}${suffix}`)
  })

const program = Effect.gen(function* () {
  yield* pay("no fault", "1")
  orders.set("1", "2500")
  yield* pay("the cart was changed after it was paid", "1")
  yield* pay("unknown order", "99")
  yield* pay("invalid number", "2", "0".repeat(33))

  yield* inject(Fault.status(422, { operation }))
  yield* pay("refused by the service", "3")

  // Another program of the shop collected this order, and the shop does not know it.
  const payments = yield* Payments.Payments
  yield* payments.collect(
    {
      country: "BJ",
      amount: "1000",
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: phone }
    },
    { key: IdempotencyKey.derive("order", "9") }
  )
  yield* pay("refused, because the key was used before", "9")

  yield* inject(Fault.dropAfter({ operation, count: 3 }))
  yield* pay("all responses lost", "4")
  yield* pay("the buyer repeats it, with another number", "4", "+2290167654321")

  yield* inject(Fault.status(503, { operation: "Payments.get", count: "always" }))
  yield* pay("not final in time", "5")
  yield* Example.onSandbox(({ faults }) => faults.clear)

  yield* inject(Fault.status(429, { operation, retry_after: 60 }))
  yield* pay("too many requests", "6")

  yield* inject(Fault.status(403, { operation }))
  yield* pay("a scope is missing", "7")

  yield* inject(Fault.body(anotherPayment, { operation, count: 2 }))
  yield* pay("the key belongs to another payment", "8")
})

/** Its requests go to the shop. */
const browser = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { address } = yield* HttpServer.HttpServer
    const shop = HttpServer.formatAddress(address)
    return HttpClient.mapRequest(client, HttpClientRequest.prependUrl(shop))
  })
).pipe(Layer.provide(FetchHttpClient.layer))

const server = Layer.merge(HttpApiBuilder.serve(), browser).pipe(
  Layer.provide(Shop.layer(orders)),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
)

Example.run("A shop that answers every error", Effect.provide(program, server))
