/**
 * Collects a mobile-money payment although the first response is lost. It prints every request that the
 * service received.
 * Takes 6 seconds.
 */
import { Catalogue } from "@manilla/catalogue"
import { BearerTokens, IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Exchange, Fault } from "@manilla/sandbox"
import { Config, Console, Data, Effect, Redacted, Stream } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const wanted = { country: "BJ", currency: "XOF", operation: "COLLECTION" } as const

const order = Config.withDefault(Config.string("MANILLA_ORDER"), "42")

class NotAvailable extends Data.TaggedError("NotAvailable")<{ readonly message: string }> {}

/** Not simply the first in the catalogue: every run with the same key must send the same request. */
const method = Config.withDefault(Config.string("MANILLA_PAYMENT_METHOD"), "mtn_momo")

/** The phone to charge: an invented number in a sandbox, required otherwise. */
const payer = (environment: string) =>
  environment === "SANDBOX"
    ? Config.withDefault(Config.string("MANILLA_PHONE"), "+2290161234567")
    : Config.string("MANILLA_PHONE")

const collect = Effect.gen(function* () {
  // The service creates the payment, but the response is lost.
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Payments.create" }))
  )

  const { environment, scopes } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) =>
    get(Infinity)
  )
  yield* Timeline.print("token", `for ${environment}, with ${scopes.length} scopes`)

  const catalogue = yield* Catalogue.Catalogue
  const methods = (yield* catalogue.available(wanted)).map(({ payment_method }) => payment_method)
  yield* Timeline.print("catalogue", `XOF collections in Benin: ${methods.join(", ")}`)
  const payment_method = yield* method
  if (!methods.includes(payment_method)) {
    return yield* new NotAvailable({
      message: `${payment_method} is currently not available for ${wanted.currency} in ${wanted.country}. No payment was created.`
    })
  }

  const payments = yield* Payments.Payments
  const key = IdempotencyKey.derive("collect", "order", yield* order)
  const request = {
    ...wanted,
    amount: "1500",
    payment_method,
    payer: { phone_number: yield* payer(environment) },
    description: "A manilla bracelet"
  }
  yield* Timeline.print("create", `1500 XOF by ${request.payment_method}, key ${key}`)
  const created = yield* payments.create(request, { key })
  yield* Timeline.print("created", `${created.reference ?? created.id}: ${created.status}`)

  const last = yield* payments.changes(created.id).pipe(
    Stream.tap(({ status }) => Timeline.print("read", status)),
    Stream.runLast,
    Effect.flatten
  )
  yield* Timeline.print("done", `${last.amount} ${last.currency}: ${last.status}`)

  yield* Example.onSandbox(({ exchanges, paymentIntents }) =>
    Effect.gen(function* () {
      const seen = yield* exchanges
      const creations = seen.filter(({ operation }) => operation === "Payments.create")
      const keys = new Set(creations.map((creation) => creation.key))
      const bodies = new Set(creations.map(({ body }) => String(Redacted.value(body))))
      const made = (yield* paymentIntents).length
      yield* Console.log(`\nRequests that the service received\n\n${Exchange.timeline(seen)}\n`)
      yield* Console.log(
        `${creations.length} create requests, ${keys.size} key, ${bodies.size} body: ${made} payment.\n`
      )
    })
  )
})

Example.run("Collecting a payment", collect, { live: true })
