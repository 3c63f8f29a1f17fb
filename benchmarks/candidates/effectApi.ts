import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { correlationId, nextKey, payment, root, rows, token, uuid } from "../wire/messages.js"
import { answerSchemas, PaymentRequest } from "./answerSchemas.js"
import { effects, type Open } from "./drive.js"

const common = { authorization: Schema.String, "x-correlation-id": Schema.String }

const api = HttpApi.make("bench").add(
  HttpApiGroup.make("payments")
    .add(
      HttpApiEndpoint.post("create", "/payments")
        .setHeaders(Schema.Struct({ ...common, "idempotency-key": Schema.String }))
        .setPayload(PaymentRequest)
        .addSuccess(answerSchemas.create, { status: 201 })
    )
    .add(
      HttpApiEndpoint.get("get", "/payments/:paymentIntent")
        .setHeaders(Schema.Struct(common))
        .setPath(Schema.Struct({ paymentIntent: Schema.UUID }))
        .addSuccess(answerSchemas.get)
    )
    .add(
      HttpApiEndpoint.get("list", "/transactions")
        .setHeaders(Schema.Struct(common))
        .setUrlParams(Schema.Struct({ per_page: Schema.NumberFromString }))
        .addSuccess(answerSchemas.list)
    )
)

const headers = { authorization: `Bearer ${token}`, "x-correlation-id": correlationId }

export const open: Open = (port) =>
  effects(
    NodeHttpClient.layerUndici,
    Effect.map(
      HttpApiClient.make(api, { baseUrl: `http://127.0.0.1:${port}${root}` }),
      ({ payments }) => ({
        create: Effect.suspend(() =>
          payments.create({
            headers: { ...headers, "idempotency-key": nextKey() },
            payload: payment
          })
        ).pipe(Effect.map(({ data }) => data)),
        get: Effect.map(
          Effect.suspend(() => payments.get({ headers, path: { paymentIntent: uuid(1) } })),
          ({ data }) => data
        ),
        list: Effect.map(
          Effect.suspend(() => payments.list({ headers, urlParams: { per_page: rows } })),
          ({ data }) => data
        )
      })
    )
  )
