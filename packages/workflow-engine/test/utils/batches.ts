/** What each table of batches does. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Steps } from "@manilla/test-support/Steps"
import type * as Batches from "../../src/Batches.js"

/** Tests a table that is empty. */
export const test = <E, R>(
  make: Effect.Effect<Batches.Service, E, R | Scope.Scope>,
  define: (name: string, test: () => Effect.Effect<unknown, unknown, R | Scope.Scope>) => void
) => {
  const effect = (name: string, steps: () => Steps<R | Scope.Scope>) =>
    define(name, () => Effect.gen(steps))

  const numbered = (...numbers: ReadonlyArray<number>) =>
    numbers.map((number) => ({ number, key: `k${number}`, request: `{"r":${number}}` }))
  const filled = Effect.gen(function* () {
    const table = yield* make
    yield* table.insert("b", 7)
    yield* table.insert("b", 8)
    yield* table.insert("other", 9)
    assert.deepStrictEqual(yield* table.add("b", 0, numbered(0, 1, 2)), [0, 1, 2])
    yield* table.add("other", 0, numbered(0, 1))
    return table
  })

  effect("keeps a batch", function* () {
    const table = yield* filled
    const stored = { epoch: 0, phase: "storing", total: 0, started: 7, ended: null } as const
    assert.deepInclude(yield* Effect.flatten(table.find("b")), stored)
    assert.isTrue(Option.isNone(yield* table.find("none")))
    const change = { epoch: 1, phase: "ended", total: 3, ended: 1_800_000_000_000 } as const
    assert.isTrue(yield* table.change("b", change, { epoch: 0, phases: ["running", "storing"] }))
    assert.isFalse(yield* table.change("b", { total: 4 }, { epoch: 0 }))
    assert.isFalse(yield* table.change("b", { total: 4 }, { epoch: 1, phases: ["running"] }))
    assert.isFalse(yield* table.change("none", { total: 4 }, {}))
    assert.deepInclude(yield* Effect.flatten(table.find("b")), { ...stored, ...change })
  })

  effect("leaves out items with taken keys, and reads by state, key and number", function* () {
    const table = yield* filled
    const double = [{ number: 3, key: "k1", request: "{}" }, ...numbered(4)]
    assert.deepStrictEqual(yield* table.add("b", 0, double), [4])
    yield* table.write("b", 0, [{ number: 1, state: "sending", sent: 5 }])
    const numbers = (filter: Batches.Filter, limit = 10) =>
      Effect.map(table.read("b", filter, limit), (found) => found.map(({ number }) => number))
    assert.deepStrictEqual(yield* numbers({}), [0, 1, 2, 4])
    assert.deepStrictEqual(yield* numbers({ after: 0 }, 2), [1, 2])
    assert.deepStrictEqual(yield* numbers({ states: ["waiting"], after: 0 }), [2, 4])
    assert.deepStrictEqual(yield* numbers({ keys: ["k4", "k1", "no"] }), [1, 4])
    assert.deepStrictEqual(yield* numbers({ numbers: [4, 0, 9] }), [0, 4])
    assert.deepStrictEqual(yield* table.count("b"), { waiting: 3, sending: 1 })
  })

  effect("adds up the items of a range that are alike", function* () {
    const table = yield* make
    yield* table.insert("b", 7)
    const paying = (number: number, amount: string) => ({
      number,
      key: `k${number}`,
      request: JSON.stringify({ amount, currency: "XOF" })
    })
    const others = [{ number: 4, key: "k4", request: "{}" }, paying(5, "9007199254740993.0001")]
    yield* table.add("b", 0, [...[0, 1, 2, 3].map((n) => paying(n, "0.1")), ...others])
    const sent = [0, 1].map((number) => ({ number, state: "sending", sent: number }) as const)
    yield* table.write("b", 0, sent)
    // The service has refused it for now.
    yield* table.write("b", 0, [{ number: 2, state: "waiting", sent: 2 }])
    const alike = yield* table.alike("b", [0, 4], 1)
    assert.sameDeepMembers(
      alike.map((one) => ({ ...one })),
      [
        { state: "sending", amount: "0.1", currency: "XOF", items: 2, recent: 1 },
        { state: "waiting", amount: "0.1", currency: "XOF", items: 2, recent: 0 }
      ]
    )
    const rest = yield* table.alike("b", [4, 9], 1)
    const amounts = rest.map(({ amount }) => amount)
    assert.sameMembers(amounts, [null, "9007199254740993.0001"])
  })

  effect("changes items at once, in the present epoch only", function* () {
    const table = yield* filled
    const one = { number: 1, state: "created", reference: "r'\"1", sent: 5 } as const
    const two = { number: 2, state: "failed", result: '{"é":1}' } as const
    assert.isTrue(yield* table.write("b", 0, [one, two]))
    assert.isTrue(yield* table.write("b", 0, [{ number: 1, state: "sending", sent: 9 }]))
    assert.isTrue(yield* table.write("b", 0, [{ number: 1, state: "pending" }]))
    yield* table.change("b", { epoch: 1 }, { epoch: 0 })
    assert.isFalse(yield* table.write("b", 0, [{ number: 0, state: "failed" }]))
    assert.deepStrictEqual(yield* table.add("b", 0, numbered(5)), [])
    yield* table.clear("b", 0)
    const [first, ...others] = yield* table.read("b", {}, 10)
    assert.deepInclude(first, { number: 0, state: "waiting" })
    assert.deepInclude(others[0], { ...one, sent: 9, state: "pending", request: '{"r":1}' })
    assert.deepInclude(others[1], two)
    assert.lengthOf(others, 2)
    yield* table.clear("b", 1)
    assert.lengthOf(yield* table.read("b", {}, 10), 0)
    assert.lengthOf(yield* table.read("other", {}, 10), 2)
  })
}
