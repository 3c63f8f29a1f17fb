import { describe, it } from "vitest"
import { hold } from "./utils/seeds.js"

// In two files, so that two cores share them.
describe("the first 1250 of 2500 runs", () => {
  it("move no money twice, lose none, and leave nothing unsaid", { timeout: 180_000 }, () =>
    hold(0, 1250)
  )
})
