import { assert, describe, it } from "vitest"
import * as Simulation from "../src/Simulation.js"

describe("a run", () => {
  it("is the same again under the same seed, and another under another", async () => {
    const [once, again, other] = [
      await Simulation.run(42),
      await Simulation.run(42),
      await Simulation.run(43)
    ]
    assert.strictEqual(once.hash, again.hash)
    assert.deepStrictEqual(once.trace, again.trace)
    assert.notStrictEqual(once.hash, other.hash)
  })
})

describe("1,000 runs", () => {
  it("move no money twice, lose none, and leave nothing unsaid", { timeout: 120_000 }, async () => {
    for (let seed = 0; seed < 1000; seed++) {
      const { trace, violations } = await Simulation.run(seed)
      assert.deepStrictEqual(violations, [], `seed ${seed}\n${trace.join("\n")}`)
    }
  })
})
