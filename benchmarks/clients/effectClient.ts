// Effect's `HttpClient` used by hand: Schema, a timeout and a retry.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Page from "@manilla/core/Page"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { exchanges, headersOf, payment, type Operation } from "../messages.js"
import { effects, type Open } from "./drive.js"

const retries = { times: 4, schedule: Schedule.jittered(Schedule.exponential("250 millis")) }

const over =
  (layer: Layer.Layer<HttpClient.HttpClient>): Open =>
  (port) =>
    effects(
      layer,
      Effect.map(HttpClient.HttpClient, (plain) => {
        const client = HttpClient.filterStatusOk(plain)
        const call = <A, I>(operation: Operation, data: Schema.Schema<A, I>) => {
          const { method, path } = exchanges[operation]
          const decode = HttpClientResponse.schemaBodyJson(
            Schema.Struct({ success: Schema.Literal(true), data, meta: Schema.Unknown })
          )
          return Effect.suspend(() => {
            const url = `http://127.0.0.1:${port}${path}`
            const bare = HttpClientRequest.make(method)(url, { headers: headersOf(operation) })
            const request =
              method === "POST" ? HttpClientRequest.bodyUnsafeJson(bare, payment) : bare
            return client
              .execute(request)
              .pipe(Effect.flatMap(decode), Effect.timeout("30 seconds"), Effect.retry(retries))
          })
        }
        return {
          create: call("create", PaymentIntent.CreatedPaymentIntent),
          list: call("list", Page.of(Transaction.Transaction))
        }
      })
    )

export const effect = over(NodeHttpClient.layerUndici)

export const effectFetch = over(FetchHttpClient.layer)
