/**
 * Mistakes that people make in a checkout are caught, each with its sentence.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import { mistakes } from "./utils/mistakes.js"

for (const { name, proof, rule, sentence } of mistakes) {
  Test.effect(
    `a checkout that ${name} breaks rule ${rule}`,
    function* () {
      // A proof that passes shows its text alone, because vitest takes minutes to print all its runs.
      const failed = yield* Effect.flip(Effect.map(proof, ({ text }) => text))
      const found = failed.proof?.failures.find((failure) => failure.rule === rule)
      assert.match(found?.sentence ?? failed.message, sentence)
    },
    300_000
  )
}
