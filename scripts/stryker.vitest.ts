// The tests that Stryker runs for each of its mutants: those of the pure modules in stryker.config.json.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Instrumented code is slow, and more so beside other work.
    testTimeout: 60_000,
    include: [
      ...["RetryLoop", "RetryBudget", "Request", "Amount", "Timestamp"].map(
        (name) => `packages/core/test/${name}.test.ts`
      ),
      "packages/workflows/test/DoubtTable.test.ts"
    ]
  }
})
