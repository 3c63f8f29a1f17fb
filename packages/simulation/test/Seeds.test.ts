import { it } from "vitest"
import { hold, range } from "./utils/seeds.js"

// In parts, so that none takes long on a busy machine.
it.each(range(0, 6))("seeds of the part %i of six violate no invariant", (part) =>
  hold(part * 25, 25)
)

// Two tokens were refused, so their source paused, and a later call ended with its first refusal.
it("seed 7292, which once failed, violates no invariant", () => hold(7292))

// A process ended, and closed its token source in the step in which it interrupted a wait.
it.each([4603, 11228, 1009548, 1011390])(
  "seed %i, which once failed, violates no invariant",
  (seed) => hold(seed)
)
