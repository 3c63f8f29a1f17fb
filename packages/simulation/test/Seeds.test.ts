import { it } from "vitest"
import { hold } from "./utils/seeds.js"

it("seeds 0 to 149 violate no invariant", () => hold(0, 150))

// Two tokens were refused, so their source paused, and a later call ended with its first refusal.
it("seed 7292, which once failed, violates no invariant", () => hold(7292, 7293))

// A process ended, and closed its token source in the step in which it interrupted a wait.
it.each([4603, 11228, 1009548, 1011390])(
  "seed %i, which once failed, violates no invariant",
  (seed) => hold(seed, seed + 1)
)
