import { describe, it } from "vitest"
import { holdAll } from "../test/utils/seeds.js"

// Split over two files, so that two cores share the work.
describe("seeds 0 to 1249", () => {
  it("violate no invariant, and apply each write", { timeout: 1_200_000 }, () => holdAll(0, 1250))
})
