import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    sequence: { concurrent: false },
    testTimeout: 10_000
  }
})
