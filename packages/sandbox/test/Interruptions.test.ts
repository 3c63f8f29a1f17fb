/**
 * An interruption at any asynchronous boundary is told: by a warning, or by the result.
 */
import { assert, describe, it } from "@effect/vitest"
import * as crash from "./utils/crash.js"

describe("an interruption never passes in silence over money that moves", () => {
  for (const [name, operation] of Object.entries(crash.operations)) {
    for (const [step, by] of [["boundary", 1]] as const) {
      it(`${name}, interrupted at each ${step}, warns or has told its caller`, async () => {
        const silent: Array<string> = []
        for (let after = 0; ; after += by) {
          const result = await crash.trial(operation, [], { after, how: "interrupted", step })
          if (result.isSilent) silent.push(`after ${after}: ${result.requests.join(", ")}`)
          if (result.hasEnded && result.steps < after) break
        }
        assert.deepStrictEqual(silent, [])
      }, 180_000)
    }
  }
})
