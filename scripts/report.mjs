// Counts the tests in the runners' reports in .reports, which all have the format of Jest's.
import { readdirSync, readFileSync } from "node:fs"

const directory = new URL("../.reports/", import.meta.url)

/** The names of failed tests, and of files that failed before any of their tests ran. */
const failuresIn = ({ testResults }) =>
  testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults = [], name }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed")
      return failed.length === 0 ? [name] : failed.map(({ fullName }) => `${name}: ${fullName}`)
    })

const reports = readdirSync(directory)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(new URL(file, directory), "utf8")))
const failures = reports.flatMap(failuresIn)
const passed = reports.reduce((total, { numPassedTests = 0 }) => total + numPassedTests, 0)
for (const name of failures) console.log(`Failed: ${name}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = passed > 0 && failures.length === 0 ? 0 : 1
