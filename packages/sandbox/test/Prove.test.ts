import { assert } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Prove from "@manilla/sandbox/Prove"
import * as Test from "@manilla/test-support/Test"
import { checkout, create } from "./utils/checkouts.js"

Test.effect(
  "a correct checkout passes, and each fault was reached",
  function* () {
    const other = create(IdempotencyKey.derive("order", "41"))
    const parts = checkout({ pairs: 20 })
    const lives = { ...parts.lives, other }
    const proof = yield* Prove.everyFault({ ...parts, lives, other: ["other"] })
    assert.include(proof.text, "another order")
    assert.deepStrictEqual(proof.failures, [])
    assert.isAbove(proof.runs, 130)
    assert.isBelow(proof.missed.length, 20)
  },
  300_000
)
