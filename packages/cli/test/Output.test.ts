import { assert, it } from "@effect/vitest"
import * as output from "../src/internal/output.js"

it("long advice is laid out at once, in lines that fit", () => {
  const long = "x".repeat(200)
  const words = Array.from({ length: 500 }, (_, i) => `word${i}`)
  const lines = output.wrapped("line 2, E1: ", [long, ...words].join(" ")).split("\n")
  const [first, ...others] = lines
  assert.strictEqual(first, `line 2, E1: ${long}`)
  for (const line of others) {
    assert.match(line, /^ {12}\S/)
    assert.isAtMost(line.length, 100)
  }
  assert.deepStrictEqual(
    others.flatMap((line) => line.trim().split(" ")),
    words
  )
})
