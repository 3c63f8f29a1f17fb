/**
 * Short forms of `npm run soak -- sandbox`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as oneKey from "./utils/oneKey.js"
import * as randomOperations from "./utils/randomOperations.js"

describe("the sandbox", () => {
  it.live("has a ledger that sums to zero after each of 5,000 random operations", () =>
    Effect.gen(function* () {
      const { counts } = yield* randomOperations.run({ operations: 5_000, seed: 1 })
      assert.isAtLeast(Object.keys(counts).length, 9)
    })
  )

  it.live("makes one payment of 500 requests with one key at once, over sockets", () =>
    oneKey.run(500)
  )
})
