// Counts tests from the runners' reports in .reports/: those of the last `npm test`, and those of
// `npm run test:on` for each given version of Node.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), ".reports")

/** The report of the unit tests on a version of Node. */
export const reportOn = (version) => join(directory, `node-${version}.json`)

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined)

/** The names of failed tests, and of test files that failed before any of their tests ran. */
const failuresIn = (file) => {
  const report = read(file)
  if (report === undefined) return [`${file} is missing`]
  return report.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults, name }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed")
      return failed.length === 0 ? [name] : failed.map(({ fullName }) => `${name}: ${fullName}`)
    })
}

/** A missing report, and a test file that failed before any of its tests ran, count as failed. */
const countsOfUnits = (file) => {
  const report = read(file)
  if (report === undefined) return { passed: 0, failed: 1 }
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((t) => t.status === "failed")
  ).length
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken }
}

const countsOfTypes = (file) => {
  const report = read(file)
  if (report === undefined) return { passed: 0, failed: 1 }
  const { fileCounts, testCounts } = report
  return { passed: testCounts.passed, failed: testCounts.failed || fileCounts.failed }
}

const sum = (all) => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0)
})

/** The counts of `npm test`: unit tests and type tests. */
export const counts = () =>
  sum([
    countsOfUnits(join(directory, "vitest.json")),
    countsOfTypes(join(directory, "tstyche.json"))
  ])

/** The counts of `npm run test:on` on a version of Node: unit tests. */
export const countsOn = (version) => countsOfUnits(reportOn(version))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const versions = process.argv.slice(2)
  const reports = [join(directory, "vitest.json"), ...versions.map(reportOn)]
  for (const name of reports.flatMap(failuresIn)) console.log(`Failed: ${name}`)
  const { failed, passed } = sum([counts(), ...versions.map(countsOn)])
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1
}
