/**
 * Bodies with unusual members: getters, proxies, `toJSON`, holes.
 */
import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import { collection } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as hostile from "./utils/hostile.js"

const key = IdempotencyKey.make("hostile")

describe("unusual metadata", () => {
  for (const [name, make] of Object.entries(hostile.tricks)) {
    for (const where of ["metadata", "metadata.member"]) {
      Test.effect(`${name}, as ${where}, is refused by name or arrives unchanged`, function* () {
        const { layer, sent } = yield* hostile.make
        yield* Effect.gen(function* () {
          const payments = yield* Payments.Payments
          const value = make()
          const metadata = where === "metadata" ? value : { member: value }
          const end = yield* hostile.endOf(() =>
            payments.create({ ...collection, metadata } as never, { key })
          )
          if (end._tag === "Refused") {
            // A value that throws when read has no field name.
            assert.deepStrictEqual(end.fields, [
              /throws|revoked/.test(name) ? "request" : "metadata"
            ])
            assert.strictEqual(sent.length, 0)
            return
          }
          assert.notStrictEqual(end._tag, "Defect", JSON.stringify(end))
          const arrived = (JSON.parse(sent[0]?.body ?? "null") as { metadata: unknown }).metadata
          // A structured clone has the own members as plain values.
          assert.deepStrictEqual(arrived, structuredClone(metadata), "arrived changed")
        }).pipe(Effect.provide(layer))
      })
    }
  }
})

describe("a body with throwing members", () => {
  const bomb = () => {
    throw new Error("gotcha")
  }
  const throwing = () =>
    Object.defineProperty({ ...collection, amount: undefined }, "amount", {
      enumerable: true,
      get: bomb
    })

  for (const [name, call] of [
    [
      "Payments.create",
      (payments: Payments.Service) => payments.create(throwing() as never, { key })
    ],
    [
      "Payments.create, in the payer",
      (payments: Payments.Service) =>
        payments.create(
          {
            ...collection,
            payer: Object.defineProperty({}, "phone_number", { enumerable: true, get: bomb })
          } as never,
          { key }
        )
    ]
  ] as const) {
    Test.effect(`${name} is refused`, function* () {
      const { layer, sent } = yield* hostile.make
      yield* Effect.gen(function* () {
        const payments = yield* Payments.Payments
        const end = yield* hostile.endOf(() => call(payments))
        assert(end._tag === "Refused", JSON.stringify(end))
        assert.deepStrictEqual(end.fields, ["request"])
        assert.strictEqual(sent.length, 0)
      }).pipe(Effect.provide(layer))
    })
  }
})
