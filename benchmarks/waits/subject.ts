// The measured calls: waits and creates.
import * as Gateway from "@manilla/core/Gateway"
import * as HttpClient from "@effect/platform/HttpClient"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Token from "@manilla/token/Token"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { answers, nextKey, payment, root, tokenAnswer, uuid } from "../wire/messages.js"
import type * as stub from "./stub.js"

const address = `http://127.0.0.1:1${root}`

/** A gateway over a stub, which handles all requests except token requests. */
export const gateway = (
  client: (reply: stub.Reply) => HttpClient.HttpClient,
  reply: stub.Reply
): Layer.Layer<Gateway.Gateway> => {
  const answering = client((path) =>
    path.endsWith("/token") ? { status: 200, body: tokenAnswer } : reply(path)
  )
  const tokens = Token.layer({
    authUrl: address,
    clientId: "bench",
    clientSecret: Redacted.make("bench")
  })
  return Gateway.layer({ baseUrl: address }).pipe(
    Layer.provide(tokens),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, answering)),
    Layer.orDie
  )
}

/** Payments over a stub. */
export const layer = (
  client: (reply: stub.Reply) => HttpClient.HttpClient,
  reply: stub.Reply
): Layer.Layer<Payments.Payments> => Layer.provide(Payments.layer, gateway(client, reply))

/** Waits for a payment by number, with a constant delay. */
export const wait = (number: number, pauseMillis: number) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.awaitFinal(PaymentIntent.makeId(uuid(number)), {
      initial: pauseMillis,
      cap: pauseMillis,
      factor: 1,
      deadline: "1 hour"
    })
  )

export const create = Effect.flatMap(Payments.Payments, (payments) =>
  payments.create(payment, { key: IdempotencyKey.make(nextKey()) })
)

export const created: stub.Answer = { status: 201, body: answers.create }

const [before = "", after = ""] = answers.get.split(uuid(1))

/** The response for the payment in a path, and its number. */
export const read = (path: string, isSettled: boolean): readonly [stub.Answer, number] => {
  const id = path.slice(-36)
  const body = before + id + after
  return [
    { status: 200, body: isSettled ? body.replace("PENDING", "COMPLETED") : body },
    Number.parseInt(id.slice(-12), 16)
  ]
}
