/**
 * Collects a mobile-money payment while the network drops the first answer, and prints what
 * happened. Runs on an embedded sandbox, or against the gateway that MANILLA_BASE_URL,
 * MANILLA_AUTH_URL, MANILLA_CLIENT_ID and MANILLA_CLIENT_SECRET name.
 */
import { NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Catalogue } from "@manilla/catalogue"
import { BearerTokens, Gateway, IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Sandbox } from "@manilla/sandbox"
import { Token } from "@manilla/token"
import { Config, Effect, Layer, Stream } from "effect"
import * as Embedded from "./Embedded.js"
import * as Timeline from "./Timeline.js"

const wanted = { country: "BJ", currency: "XOF", operation: "COLLECTION" } as const

const collect = Effect.gen(function* () {
  const tokens = yield* BearerTokens.BearerTokens
  const { environment, scopes } = yield* tokens.get
  yield* Timeline.print("token", `for ${environment}, with ${scopes.length} scopes`)

  const catalogue = yield* Catalogue.Catalogue
  const services = yield* catalogue.available(wanted)
  const methods = services.map(({ payment_method }) => payment_method)
  yield* Timeline.print("catalogue", `XOF collections in Benin: ${methods.join(", ")}`)

  const payments = yield* Payments.Payments
  const key = IdempotencyKey.derive("order", yield* order)
  const request = {
    ...wanted,
    amount: "1500",
    payment_method: methods[0] ?? "mtn_momo",
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
})

const order = Config.string("MANILLA_ORDER").pipe(Config.withDefault("42"))

/** A made-up number will do in a sandbox; where money is real, whose it is must be said. */
const payer = (environment: string) =>
  environment === "SANDBOX"
    ? Config.withDefault(Config.string("MANILLA_PHONE"), "+2290161234567")
    : Config.string("MANILLA_PHONE")

/** The client as every program has it: from the configuration, wherever that comes from. */
const client = Layer.mergeAll(Payments.layer, Catalogue.layer).pipe(
  Layer.provide(Gateway.layerConfig()),
  Layer.provideMerge(Token.layerConfig()),
  Layer.provide(NodeHttpClient.layerUndici)
)

const onGateway = Effect.gen(function* () {
  const { baseUrl } = yield* Gateway.config
  yield* Timeline.title(`Collecting a payment at ${baseUrl}`)
  yield* Effect.provide(collect, client)
})

const onSandbox = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  yield* Timeline.title(`Collecting a payment on a sandbox at ${sandbox.baseUrl}`)
  yield* Embedded.dropTheFirstAnswer
  yield* Effect.provide(collect, client)
  yield* Embedded.printWhatItSaw
})

const program = Effect.gen(function* () {
  const elsewhere = yield* Config.option(Config.string("MANILLA_BASE_URL"))
  return elsewhere._tag === "Some"
    ? yield* onGateway
    : yield* Effect.provide(onSandbox, Embedded.layer)
})

program.pipe(Effect.provide(Timeline.layer), NodeRuntime.runMain({ disablePrettyLogger: true }))
