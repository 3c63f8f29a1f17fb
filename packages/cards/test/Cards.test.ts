/**
 * The client over the sandbox.
 */
import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Fault from "@manilla/sandbox/Fault"
import * as Elapsed from "@manilla/test-support/Elapsed"
import { cardFrom, key, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const test = tests()

describe("issue", () => {
  test("sends the key of the call in the body, whatever the request says", function* ({ cards }) {
    const request = { ...(yield* cardFrom()), idempotency_key: "of-an-earlier-card" }
    const { card } = yield* cards.issue(request as never, { key })
    assert.strictEqual(card.issuance_reference, key)
  })

  test("tells the id of the card in onResponse", function* ({ cards }) {
    let told: string | undefined
    const onResponse = ({ id }: Operation.ResponseInfo) => void (told = id)
    const { card } = yield* cards.issue(yield* cardFrom(), { key, onResponse })
    assert.strictEqual(told, card.id)
  })

  for (const length of [101, 256]) {
    test(`refuses a key of ${length} characters, and states the limit`, function* ({ cards }) {
      // A brand does not limit the length of a key that was made by other means.
      const long = "k".repeat(length) as IdempotencyKey.IdempotencyKey
      const error = yield* Effect.flip(cards.issue(yield* cardFrom(), { key: long }))
      assert.include(error.message, "must be 1 to 100 printable ASCII characters")
    })
  }

  test("fails with OutcomeUnknown and the key when no answer comes", function* ({
    cards,
    sandbox
  }) {
    yield* sandbox.faults.add(Fault.dropAfter({ operation: "Cards.issue", count: "always" }))
    const issue = cards.issue(yield* cardFrom(), { key })
    const error = yield* Elapsed.toTheEnd(Effect.flip(issue))
    assert(error._tag === "OutcomeUnknown")
    assert.strictEqual(error.key, key)
    assert.strictEqual((yield* cards.list()).total, 1)
  })
})

describe("stream", () => {
  test("reads every page, newest card first", function* ({ cards }) {
    const request = { ...(yield* cardFrom("USD")), initial_balance: "0" }
    for (const name of ["a", "b", "c"]) {
      yield* cards.issue(request, { key: IdempotencyKey.derive(name) })
    }
    const streamed = yield* Stream.runCollect(cards.stream({ per_page: 2 }))
    const references = Array.from(streamed, ({ issuance_reference }) => issuance_reference)
    assert.deepStrictEqual(references, ["c", "b", "a"])
  })
})
