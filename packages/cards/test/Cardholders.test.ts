import { assert, describe, it } from "@effect/vitest"
import * as Cardholder from "@manilla/cards/Cardholder"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const holders = Effect.flatMap(Cardholders.Cardholders, ({ list }) =>
  Effect.map(list(), ({ data }) => data)
)

describe("cardholders", () => {
  it.effect("show personal data in the detail but not in the list", () =>
    Effect.gen(function* () {
      const cardholders = yield* Cardholders.Cardholders
      const listed = yield* holders
      assert.isAtLeast(listed.length, 2)
      for (const { id } of listed) {
        const detail = yield* cardholders.get(id)
        const { is_business, reference, ...personal } = detail
        assert.isBoolean(is_business)
        assert.match(String(reference), /^CHD-/)
        const values = Object.values(personal).map((value) =>
          Redacted.isRedacted(value) ? Redacted.value(value) : value
        )
        assert.lengthOf(values, 13)
        for (const value of values) assert.isNotEmpty(value)
        assert.match(String(detail.dob && Redacted.value(detail.dob)), /^\d{4}-\d\d-\d\d$/)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("are read although the detail has an undocumented id", () =>
    Effect.gen(function* () {
      const cardholders = yield* Cardholders.Cardholders
      const { faults } = yield* Sandbox.Sandbox
      const [holder] = yield* holders
      const id = holder?.id ?? assert.fail("there is no cardholder")
      const data = {
        id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
        reference: "CHD-1",
        is_business: false
      }
      const body = JSON.stringify({ success: true, data, meta: { correlation_id: null } })
      yield* faults.add(Fault.body(body, { operation: "Cardholders.get" }))
      assert.strictEqual(String((yield* cardholders.get(id)).reference), "CHD-1")
    }).pipe(Effect.provide(layer()))
  )

  for (const [what, data] of [
    ["a page", { current_page: 1, data: [] }],
    ["a token", { access_token: "x", expires_in: 3600, token_type: "Bearer" }],
    ["a detail that does not match the schema", { reference: "CHD-1", is_business: 0 }]
  ] as const) {
    it.effect(`are not read from ${what}, and the read is not retried`, () =>
      Effect.gen(function* () {
        const cardholders = yield* Cardholders.Cardholders
        const { exchanges, faults } = yield* Sandbox.Sandbox
        const [holder] = yield* holders
        const id = holder?.id ?? assert.fail("there is no cardholder")
        const body = JSON.stringify({ success: true, data, meta: { correlation_id: null } })
        yield* faults.add(Fault.body(body, { operation: "Cardholders.get", count: 9 }))
        const error = yield* Effect.flip(cardholders.get(id))
        assert(error._tag === "MalformedResponseError")
        assert.strictEqual(error.reason, "DataMisfit")
        const reads = (yield* exchanges).filter(({ operation }) => operation === "Cardholders.get")
        assert.lengthOf(reads, 1)
      }).pipe(Effect.provide(layer()))
    )
  }

  it.effect("are streamed in pages", () =>
    Effect.gen(function* () {
      const cardholders = yield* Cardholders.Cardholders
      const streamed = yield* Stream.runCollect(cardholders.stream({ per_page: 1 }))
      assert.deepStrictEqual(Array.from(streamed), [...(yield* holders)])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that do not exist are a NotFoundError", () =>
    Effect.gen(function* () {
      const cardholders = yield* Cardholders.Cardholders
      const unknown = Cardholder.makeId("00000000-0000-4000-8000-000000000000")
      assert.strictEqual((yield* Effect.flip(cardholders.get(unknown)))._tag, "NotFoundError")
    }).pipe(Effect.provide(layer()))
  )
})
