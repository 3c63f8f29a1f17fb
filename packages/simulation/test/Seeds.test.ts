import { it } from "vitest"
import { hold } from "./utils/seeds.js"

it("seeds 0 to 149 violate no invariant", () => hold(0, 150))

// A process ended, and closed its token source in the step in which it interrupted a wait.
it.each([1009548, 1011390])("seed %i, which once failed, violates no invariant", (seed) =>
  hold(seed, seed + 1)
)
