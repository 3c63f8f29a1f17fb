// Counts the tests in the runners' reports in .reports, which all have the format of Jest's.
import { readdirSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"

const directory = new URL("../.reports/", import.meta.url)

const root = fileURLToPath(new URL("../", import.meta.url))

/** Failed tests, and files that failed before any of their tests ran, with the command that repeats each. */
const failuresIn = ({ testResults }) =>
  testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults = [], name }) => {
      const file = relative(root, name)
      const repeat = `npx vitest run ${file}`
      const failed = assertionResults.filter(({ status }) => status === "failed")
      return failed.length === 0
        ? [{ name: file, repeat }]
        : failed.map(({ fullName }) => ({
            name: `${file}: ${fullName}`,
            repeat: `${repeat} -t ${JSON.stringify(pattern(fullName))}`
          }))
    })

/** The title of a test, as the pattern that `-t` takes. */
const pattern = (title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, ".")

const reports = readdirSync(directory)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(new URL(file, directory), "utf8")))
const failures = reports.flatMap(failuresIn)
const passed = reports.reduce((total, { numPassedTests = 0 }) => total + numPassedTests, 0)
for (const { name, repeat } of failures) console.log(`Failed: ${name}\n  To repeat it: ${repeat}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = passed > 0 && failures.length === 0 ? 0 : 1
