import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import { headersOf, methods, payment, paths, type Operation } from "../wire/messages.js"
import { answerSchemas, PaymentRequest } from "./answerSchemas.js"
import { effects, forEach, type Open } from "./drive.js"

const encode = HttpClientRequest.schemaBodyJson(PaymentRequest)

const decoders: Readonly<
  Record<
    Operation,
    (
      response: HttpClientResponse.HttpClientResponse
    ) => Effect.Effect<{ readonly data: unknown }, unknown>
  >
> = {
  create: decoder(answerSchemas.create),
  get: decoder(answerSchemas.get),
  list: decoder(answerSchemas.list)
}

function decoder<A extends { readonly data: unknown }, I>(schema: Schema.Schema<A, I>) {
  return HttpClientResponse.schemaBodyJson(schema)
}

const retries = { times: 4, schedule: Schedule.jittered(Schedule.exponential("250 millis")) }

export const open: Open = (port) =>
  effects(
    NodeHttpClient.layerUndici,
    Effect.map(HttpClient.HttpClient, (plain) => {
      const client = HttpClient.filterStatusOk(plain)
      return forEach((operation) =>
        Effect.suspend(() => {
          const bare = HttpClientRequest.make(methods[operation])(
            `http://127.0.0.1:${port}${paths[operation]}`,
            { headers: headersOf(operation) }
          )
          return operation === "create" ? encode(bare, payment) : Effect.succeed(bare)
        }).pipe(
          Effect.flatMap((request) =>
            client
              .execute(request)
              .pipe(
                Effect.flatMap(decoders[operation]),
                Effect.timeout("30 seconds"),
                Effect.retry(retries)
              )
          ),
          Effect.map(({ data }) => data)
        )
      )
    })
  )
