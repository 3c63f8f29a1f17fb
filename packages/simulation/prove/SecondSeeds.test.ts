import { describe, it } from "vitest"
import { holdAll } from "../test/utils/seeds.js"

// Split over two files, so that two cores share the work.
describe("seeds 1250 to 2499", () => {
  it("violate no invariant, and apply each write", { timeout: 1_200_000 }, () =>
    holdAll(1250, 1250)
  )
})
