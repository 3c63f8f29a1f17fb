import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    pool: "forks",
    setupFiles: ["./vitest.setup.ts"],
    // With a minimum below the maximum, tinypool 1.1 ends an idle process twice, and the run fails.
    poolOptions: { forks: { minForks: 2, maxForks: 2 } },
    sequence: { concurrent: false },
    // A limit for what hangs, generous to a busy machine: no test asserts a time.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
