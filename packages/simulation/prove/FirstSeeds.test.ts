import { describe, it } from "vitest"
import { hold } from "../test/utils/seeds.js"

// Split over two files, so that two cores share the work.
describe("seeds 0 to 1249", () => {
  it("violate no invariant", { timeout: 1_200_000 }, () => hold(0, 1250))
})
