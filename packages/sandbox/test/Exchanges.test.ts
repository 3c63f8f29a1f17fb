import { assert, describe } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as exchanges from "../src/internal/http/exchangeLog.js"

const makeLog = (capacity: number) =>
  exchanges.make({ nowMillis: Effect.succeed(0), capacity, onEnd: () => Effect.void })

const arrived = (size = 0) => ({
  operation: undefined,
  method: "POST",
  path: "/",
  key: undefined,
  correlationId: "",
  body: Redacted.make(new Uint8Array(size))
})

const answered = (size: number) => ({
  ending: 200,
  response: Redacted.make(new Uint8Array(size)),
  replay: false,
  fault: undefined,
  warnings: []
})

const indexesIn = (log: exchanges.Log) =>
  Effect.map(log.latest, (all) => all.map(({ index }) => index))

const indexesAfter = (sizes: ReadonlyArray<number>, capacity: number) =>
  Effect.gen(function* () {
    const log = makeLog(capacity)
    for (const size of sizes) yield* log.open(arrived(size))
    return yield* indexesIn(log)
  })

const MiB = 1024 * 1024

describe("the log of exchanges", () => {
  Test.effect("keeps the latest exchanges", function* () {
    const none = Array.from({ length: 25 }, () => 0)
    assert.deepStrictEqual(yield* indexesAfter(none, 3), [22, 23, 24])
    assert.deepStrictEqual(yield* indexesAfter(none, 0), [])
  })

  Test.effect("drops the oldest when their bodies have 64 MiB", function* () {
    const large = Array.from({ length: 7 }, () => 10 * MiB)
    assert.deepStrictEqual(yield* indexesAfter(large.slice(1), 100), [0, 1, 2, 3, 4, 5])
    assert.deepStrictEqual(yield* indexesAfter(large, 100), [1, 2, 3, 4, 5, 6])
  })

  Test.effect("counts the bytes of responses, also of a dropped exchange", function* () {
    const log = makeLog(3)
    const open = log.open(arrived())
    const [first, ...others] = [yield* open, yield* open, yield* open, yield* open]
    yield* first?.(answered(60 * MiB)) ?? Effect.void
    assert.deepStrictEqual(yield* indexesIn(log), [1, 2, 3])
    for (const end of others) yield* end(answered(30 * MiB))
    assert.deepStrictEqual(yield* indexesIn(log), [2, 3])
  })

  Test.effect("keeps the newest 1,000 responses, also if an older one ends later", function* () {
    const log = makeLog(5000)
    const open = log.open(arrived())
    const end = answered(MiB / 16)
    const late = yield* open
    for (let n = 1; n < 2000; n++) yield* Effect.flatMap(open, (ended) => ended(end))
    yield* late(end)
    const all = yield* log.latest
    assert.lengthOf(all, 2000)
    const kept = all.flatMap(({ index, response }) => (response === undefined ? [] : [index]))
    assert.deepStrictEqual(
      kept,
      Array.from({ length: 1000 }, (_, n) => n + 1000)
    )
  })
})
