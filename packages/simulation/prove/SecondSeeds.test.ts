import { describe, it } from "vitest"
import { hold } from "../test/utils/seeds.js"

// Split over two files, so that two cores share the work.
describe("seeds 1250 to 2499", () => {
  it("violate no invariant", { timeout: 1_200_000 }, () => hold(1250, 1250))
})
