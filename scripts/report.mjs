// Counts tests from the runners' reports in .reports/, which all have the format of Jest's.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), ".reports")

/** Writes a report that counts as failed until the runner replaces it, and returns its path. */
export const begin = (name) => {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}.json`)
  writeFileSync(file, JSON.stringify({ testResults: [{ name, status: "failed" }] }))
  return file
}

/** The names of failed tests, and of files that failed before any of their tests ran. */
const failuresIn = ({ testResults }) =>
  testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults = [], name }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed")
      return failed.length === 0 ? [name] : failed.map(({ fullName }) => `${name}: ${fullName}`)
    })

/** The tests in the named reports, or in all. */
export const counts = (names = readdirSync(directory).map((file) => file.slice(0, -5))) => {
  const reports = names.map((name) =>
    JSON.parse(readFileSync(join(directory, `${name}.json`), "utf8"))
  )
  const failures = reports.flatMap(failuresIn)
  const passed = reports.reduce((total, { numPassedTests = 0 }) => total + numPassedTests, 0)
  return { passed, failures }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failures, passed } = counts()
  for (const name of failures) console.log(`Failed: ${name}`)
  console.log(`${passed} passed, ${failures.length} failed`)
  process.exitCode = passed > 0 && failures.length === 0 ? 0 : 1
}
