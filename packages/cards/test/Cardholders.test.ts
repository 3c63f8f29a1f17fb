import { assert, describe } from "@effect/vitest"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Fault from "@manilla/sandbox/Fault"
import { tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const test = tests()

const holders = Effect.flatMap(Cardholders.Cardholders, ({ list }) =>
  Effect.map(list(), ({ data }) => data)
)

const holderId = Effect.map(holders, ([holder]) => holder?.id ?? assert.fail("no cardholder"))

/** A response to a read of a cardholder. */
const answers = (data: unknown, count: number) =>
  Fault.body(JSON.stringify({ success: true, data }), { operation: "Cardholders.get", count })

describe("cardholders", () => {
  test("show personal data in the detail but not in the list", function* ({ cardholders }) {
    const listed = yield* holders
    assert.isAtLeast(listed.length, 2)
    for (const { id } of listed) {
      const detail = yield* cardholders.get(id)
      const { is_business, reference, ...personal } = detail
      assert.isBoolean(is_business)
      assert.match(String(reference), /^CHD-/)
      assert.lengthOf(Object.keys(personal), 13)
      for (const [name, value] of Object.entries(personal)) {
        assert(Redacted.isRedacted(value), name)
        assert.isNotEmpty(Redacted.value(value))
      }
      assert.match(String(detail.dob && Redacted.value(detail.dob)), /^\d{4}-\d\d-\d\d$/)
    }
  })

  test("are read even with an undocumented id", function* ({ cardholders, sandbox: { faults } }) {
    const id = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
    yield* faults.add(answers({ id, reference: "CHD-1", is_business: false }, 1))
    const { reference } = yield* cardholders.get(yield* holderId)
    assert.strictEqual(String(reference), "CHD-1")
  })

  for (const [what, data] of [
    ["a page", { current_page: 1, data: [] }],
    ["a token", { access_token: "x", expires_in: 3600, token_type: "Bearer" }],
    ["a detail that does not match the schema", { reference: "CHD-1", is_business: 0 }]
  ] as const) {
    test(`are not read from ${what}, and not read again`, function* ({ cardholders, sandbox }) {
      const id = yield* holderId
      yield* sandbox.faults.add(answers(data, 9))
      const error = yield* Effect.flip(cardholders.get(id))
      assert(error._tag === "MalformedResponseError")
      assert.strictEqual(error.reason, "DataMisfit")
      const exchanges = yield* sandbox.exchanges
      const reads = exchanges.filter(({ operation }) => operation === "Cardholders.get")
      assert.lengthOf(reads, 1)
    })
  }

  test("are streamed in pages", function* ({ cardholders }) {
    const streamed = yield* Stream.runCollect(cardholders.stream({ per_page: 1 }))
    assert.deepStrictEqual(Array.from(streamed), [...(yield* holders)])
  })
})
