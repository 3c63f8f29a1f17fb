import { assert, it } from "@effect/vitest"
import * as Prove from "@manilla/sandbox/Prove"
import * as Effect from "effect/Effect"
import { checkout } from "./utils/checkouts.js"

it.effect(
  "a correct checkout passes, and each fault was reached",
  () =>
    Effect.gen(function* () {
      const proof = yield* Prove.everyFault(checkout({ pairs: 20 }))
      assert.deepStrictEqual(proof.failures, [])
      assert.isAbove(proof.runs, 130)
      assert.isBelow(proof.missed.length, 20)
    }),
  300_000
)
