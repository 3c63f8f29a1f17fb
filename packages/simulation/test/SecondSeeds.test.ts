import { describe, it } from "vitest"
import { hold } from "./utils/seeds.js"

// In two files, so that two cores share the thousand.
describe("the second 500 runs of a thousand", () => {
  it("move no money twice, lose none, and leave nothing unsaid", { timeout: 180_000 }, () =>
    hold(500, 1000)
  )
})
