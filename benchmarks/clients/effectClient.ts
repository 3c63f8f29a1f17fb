// Effect's `HttpClient` used by hand: Schema, a timeout and a retry.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import { exchanges, headersOf, payment, type Operation } from "../messages.js"
import { effects, type Open } from "./drive.js"
import { answers } from "./schemas.js"

const encode = HttpClientRequest.schemaBodyJson(PaymentIntent.PaymentIntentRequest)
const retries = { times: 4, schedule: Schedule.jittered(Schedule.exponential("250 millis")) }

const over =
  (layer: Layer.Layer<HttpClient.HttpClient>): Open =>
  (port) =>
    effects(
      layer,
      Effect.map(HttpClient.HttpClient, (plain) => {
        const client = HttpClient.filterStatusOk(plain)
        const call = <A extends { readonly data: unknown }, I>(
          operation: Operation,
          answer: Schema.Schema<A, I>
        ): Effect.Effect<unknown, unknown> => {
          const decode = HttpClientResponse.schemaBodyJson(answer)
          return Effect.suspend(() => {
            const { method, path } = exchanges[operation]
            const bare = HttpClientRequest.make(method)(`http://127.0.0.1:${port}${path}`, {
              headers: headersOf(operation)
            })
            return operation === "create" ? encode(bare, payment) : Effect.succeed(bare)
          }).pipe(
            Effect.flatMap((request) =>
              client
                .execute(request)
                .pipe(Effect.flatMap(decode), Effect.timeout("30 seconds"), Effect.retry(retries))
            ),
            Effect.map(({ data }) => data)
          )
        }
        return {
          create: call("create", answers.create),
          list: call("list", answers.list)
        }
      })
    )

export const effect = over(NodeHttpClient.layerUndici)

export const effectFetch = over(FetchHttpClient.layer)
