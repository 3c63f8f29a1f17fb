import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    sequence: { concurrent: false },
    // A limit for what hangs, generous to a busy machine: no test asserts a time.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
