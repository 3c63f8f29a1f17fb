import { existsSync, readdirSync } from "node:fs"
import { defineWorkspace } from "vitest/config"

// One project per package that has tests, and one for the examples. Workspace packages resolve to
// their TypeScript sources through `exports`, so nothing has to be built first.
export default defineWorkspace([
  ...readdirSync("packages")
    .filter((name) => existsSync(`packages/${name}/test`))
    .map((name) => ({
      extends: "./vitest.config.ts",
      root: `packages/${name}`,
      test: { name, include: ["test/**/*.test.ts"] }
    })),
  {
    extends: "./vitest.config.ts",
    root: "examples",
    test: { name: "examples", include: ["*/*.test.ts"] }
  }
])
