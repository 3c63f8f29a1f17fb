import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files of `prove` that take minutes, and mostly wait. Vitest begins with the largest files, and these are small. */
const longest = /(Proofs|Next)\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    pool: "forks",
    setupFiles: ["./vitest.setup.ts"],
    // With a minimum below the maximum, tinypool 1.1 ends an idle process twice, and the run fails.
    poolOptions: { forks: { minForks: 2, maxForks: 2 } },
    sequence: { concurrent: false, sequencer: LongestFirst },
    // A limit for what hangs, generous to a busy machine: no test asserts a time.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
