import { defineWorkspace } from "vitest/config"

// `npm test` runs the folders `test` and the examples, and `npm run prove` the folders `prove`: what is
// slow, or needs a browser, a database server or the kill of a process. Workspace packages resolve to
// their TypeScript sources through `exports`, so nothing has to be built first.
export default defineWorkspace([
  {
    extends: "./vitest.config.ts",
    test: {
      name: "test",
      include: ["packages/*/test/**/*.test.ts", "examples/*/*.test.ts", "examples/*/test/*.test.ts"]
    }
  },
  {
    extends: "./vitest.config.ts",
    test: {
      name: "prove",
      include: [
        "packages/*/prove/**/*.test.ts",
        "docs/prove/*.test.ts",
        "examples/*/prove/*.test.ts"
      ]
    }
  }
])
