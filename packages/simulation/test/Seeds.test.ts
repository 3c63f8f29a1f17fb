import { it } from "vitest"
import { hold } from "./utils/seeds.js"

it("seeds 0 to 149 violate no invariant", () => hold(0, 150))
