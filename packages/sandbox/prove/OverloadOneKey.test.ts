/**
 * Ten thousand concurrent callers with one key.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Payments from "@manilla/payments/Payments"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { all, once, onVirtualClock } from "./utils/standIn.js"

describe("10,000 concurrent callers on one key", () => {
  it.live(
    "make one payment despite lost responses and errors",
    () =>
      onVirtualClock(
        Effect.gen(function* () {
          const { client, sandbox } = yield* SandboxClient.make({ seed: 5 })
          const faults = [
            Fault.dropAfter({ operation: "Payments.create", count: 40 }),
            Fault.status(503, { operation: "Payments.create", count: 20, processed: true }),
            Fault.body("<html>", { operation: "Payments.create", count: 20 })
          ]
          yield* Effect.forEach(faults, sandbox.faults.add)
          const services = Payments.layer.pipe(
            Layer.provide(SandboxGateway.layer()),
            Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
            Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox))
          )
          const results = yield* Effect.forEach(
            Array.from({ length: 10_000 }, (_, i) => i),
            () => once("same"),
            all
          ).pipe(Effect.provide(services))
          const intents = yield* sandbox.paymentIntents
          assert.strictEqual(intents.length, 1)
          const ids = results.map((result) =>
            Either.isRight(result) ? result.right.id : result.left._tag
          )
          const distinct = [...new Set(ids)]
          assert.deepStrictEqual(
            distinct,
            intents.map(({ id }) => id)
          )
          const exchanges = yield* sandbox.exchanges
          const sent = exchanges.filter(({ operation }) => operation === "Payments.create")
          assert.strictEqual(sent.length, 10_080)
          assert.strictEqual(exchanges.length, 10_081)
          const bodies = sent.map(({ body }) => Buffer.from(Redacted.value(body)).toString())
          assert.strictEqual(new Set(bodies).size, 1)
          yield* Effect.sleep("5 seconds")
          assert.strictEqual((yield* sandbox.transactions).length, 1)
        })
      ),
    180_000
  )
})
