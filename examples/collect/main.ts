/**
 * Collects a mobile-money payment while the network drops the first answer, and prints what
 * happened.
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

/** Said, and not the first that happens to be listed: a key stands for one request, on each run. */
const method = Config.withDefault(Config.string("MANILLA_PAYMENT_METHOD"), "mtn_momo")

/** A made-up number will do in a sandbox; where money is real, whose it is must be said. */
const payer = (environment: string) =>
  environment === "SANDBOX"
    ? Config.withDefault(Config.string("MANILLA_PHONE"), "+2290161234567")
    : Config.string("MANILLA_PHONE")

const collect = Effect.gen(function* () {
  // The next creation is processed, and its answer lost on the way back.
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Payments.create" }))
  )

  const { environment, scopes } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) => get)
  yield* Timeline.print("token", `for ${environment}, with ${scopes.length} scopes`)

  const catalogue = yield* Catalogue.Catalogue
  const methods = (yield* catalogue.available(wanted)).map(({ payment_method }) => payment_method)
  yield* Timeline.print("catalogue", `XOF collections in Benin: ${methods.join(", ")}`)
  const payment_method = yield* method
  if (!methods.includes(payment_method)) {
    return yield* new NotAvailable({
      message: `${payment_method} is not available for ${wanted.currency} in ${wanted.country} now. Nothing was sent.`
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
  yield* Timeline.print("create", `1500 XOF through ${request.payment_method}, key ${key}`)
  const created = yield* payments.create(request, { key })
  yield* Timeline.print("created", `${created.reference ?? created.id}: ${created.status}`)

  const settled = yield* payments.changes(created.id).pipe(
    Stream.tap(({ status }) => Timeline.print("read", status)),
    Stream.runLast,
    Effect.flatten
  )
  yield* Timeline.print("done", `${settled.amount} ${settled.currency}: ${settled.status}`)

  yield* Example.onSandbox(({ exchanges, paymentIntents }) =>
    Effect.gen(function* () {
      const seen = yield* exchanges
      const creations = seen.filter(({ operation }) => operation === "Payments.create")
      const keys = new Set(creations.map((creation) => creation.key))
      const bodies = new Set(creations.map(({ body }) => String(Redacted.value(body))))
      const made = (yield* paymentIntents).length
      yield* Console.log(`\nWhat the service saw\n\n${Exchange.timeline(seen)}\n`)
      yield* Console.log(
        `${creations.length} requests to create, ${keys.size} key, ${bodies.size} body: ${made} payment.\n`
      )
    })
  )
})

Example.run("Collecting a payment", collect, { live: true })
