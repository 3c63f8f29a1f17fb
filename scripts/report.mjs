// Counts tests from the runners' own reports, as the last `npm test` left them in .reports/.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), ".reports")

const read = (name) => {
  const file = join(directory, name)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
}

/** A missing report, and a test file that failed before any of its tests ran, count as failed. */
export const counts = () => {
  const unit = read("vitest.json")
  const types = read("tstyche.json")
  const broken = (unit?.testResults ?? []).filter(
    (file) => file.status === "failed" && !file.assertionResults.some((t) => t.status === "failed")
  ).length
  const typesFailed = types === undefined ? 1 : types.testCounts.failed
  return {
    passed: (unit?.numPassedTests ?? 0) + (types?.testCounts.passed ?? 0),
    failed:
      (unit === undefined ? 1 : unit.numFailedTests + broken) +
      (typesFailed === 0 && types.fileCounts.failed > 0 ? types.fileCounts.failed : typesFailed)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed, passed } = counts()
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1
}
