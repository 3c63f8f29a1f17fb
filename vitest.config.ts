import { defineConfig } from "vitest/config"

// `npm test` runs the folders `test` and the examples, and `npm run prove` the folders `prove`: what is
// slow, or needs a browser, a database server or the kill of a process. Workspace packages resolve to
// their TypeScript sources through `exports`, so nothing has to be built first.
export default defineConfig({
  test: {
    pool: "forks",
    // Files share three processes: loading Effect takes longer than most of them, and about half of their
    // time is waits of TestClock, which need no core. Only here, not in a project, does vitest obey `isolate`.
    // With a smaller minimum, tinypool 1.1 ends an idle process twice, and the run fails after its last test.
    poolOptions: { forks: { minForks: 3, maxForks: 3, isolate: false } },
    sequence: { concurrent: false },
    // A limit for what hangs, generous to a busy machine: no test asserts a time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: "test", include: ["packages/*/test/**/*.test.ts", "examples/*/*.test.ts"] }
      },
      { extends: true, test: { name: "prove", include: ["packages/*/prove/**/*.test.ts"] } }
    ]
  }
})
