// `npm run mutants` applies one mutant at a time to a copy of the client, and checks that the simulation
// or the tests of the mutant fail. `--only TEXT` runs the mutants whose names contain the text,
// `--seeds N` sets the number of simulation seeds, and `--jobs N` runs several mutants in parallel.
import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutants } from "./mutants.list.js"
import type { Mutant } from "./mutants.list.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "300" },
    jobs: { type: "string", default: "2" }
  }
})

const atLeastOne = (name: string, text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  console.error(`--${name} must be a positive integer: ${text}`)
  process.exit(2)
}
const jobs = atLeastOne("jobs", values.jobs)
const seeds = atLeastOne("seeds", values.seeds)

/** Mutants whose snippet no longer matches the source exactly once, or whose tests do not exist. */
const stale = mutants.flatMap(({ file, find, name, tests }) => {
  const matches = readFileSync(join(root, file), "utf8").split(find).length - 1
  return [
    ...(matches === 1 ? [] : [`${name}: expected one match in ${file}, found ${matches}`]),
    ...tests.flatMap((test) =>
      existsSync(join(root, test)) ? [] : [`${name}: ${test} does not exist`]
    )
  ]
})
if (stale.length > 0) {
  console.error(`Stale mutants:\n  ${stale.join("\n  ")}`)
  process.exit(2)
}

const { only = "" } = values
const chosen = mutants.filter(({ name }) => name.includes(only))
if (chosen.length === 0) {
  console.error(
    `No mutant contains "${only}". Known mutants:\n${mutants.map(({ name }) => `  ${name}`).join("\n")}`
  )
  process.exit(2)
}

// Cleaned up on every exit.
const copies = new Set<string>()
const children = new Set<ChildProcess>()

/** Kills a child and its descendants, because each child leads a process group. */
const kill = ({ exitCode, pid, signalCode }: ChildProcess): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has already exited.
  }
}

process.on("exit", () => {
  for (const child of children) kill(child)
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
})
process.on("SIGINT", () => process.exit(130))
process.on("SIGTERM", () => process.exit(143))

/** Copies tracked and untracked files, and links the installed dependencies. */
const copyRepository = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "manilla-mutants-"))
  copies.add(copy)
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
    { cwd: root, encoding: "utf8" }
  )
  for (const file of listed.split("\0")) {
    if (file === "" || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const members = [
    "scripts",
    "examples",
    ...readdirSync(join(root, "packages")).map((name) => join("packages", name))
  ]
  for (const member of members) linkDependencies(copy, member)
  return copy
}

/** Links between packages are relative, so that verbatim copies point into the copy. */
const linkDependencies = (copy: string, member: string): void => {
  const installed = join(root, member, "node_modules")
  if (!existsSync(installed)) return
  const linked = join(copy, member, "node_modules")
  mkdirSync(linked)
  for (const name of readdirSync(installed)) {
    if (name === "@manilla") {
      cpSync(join(installed, name), join(linked, name), {
        recursive: true,
        verbatimSymlinks: true
      })
    } else {
      symlinkSync(join(installed, name), join(linked, name))
    }
  }
}

interface Ran {
  readonly failed: boolean
  readonly timedOut: boolean
  readonly output: string
}

const run = (copy: string, args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, detached: true })
    children.add(child)
    let timedOut = false
    const limit = setTimeout(() => {
      timedOut = true
      kill(child)
    }, 300_000)
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    child.on("close", (code) => {
      clearTimeout(limit)
      children.delete(child)
      resolve({ failed: code !== 0, timedOut, output })
    })
  })

interface Result {
  readonly name: string
  readonly verdict: "caught by simulation" | "caught by tests" | "unclear" | "MISSED"
  readonly seconds: number
  readonly detail: string
}

const simulate = (copy: string) =>
  run(copy, ["--import", "tsx", "scripts/simulate.ts", "--seeds", String(seeds), "--stop-at", "1"])

/** Excludes the slow tests with 10,000 callers. */
const withoutSlowTests = "--testNamePattern=^(?!.*10,000)"
const vitest = "node_modules/vitest/vitest.mjs"

const test = (copy: string, tests: ReadonlyArray<string>) =>
  run(copy, [
    vitest,
    "run",
    "--bail=1",
    // Sequential files: with parallel files, `--bail` also aborts and reports tests in other files.
    "--no-file-parallelism",
    "--reporter=dot",
    "--testTimeout=60000",
    withoutSlowTests,
    ...tests
  ])

/**
 * Whether the failure proves nothing: a mutant that cannot run at all, or a test timeout, which may be
 * due to a busy machine.
 */
const isInconclusive = (output: string): boolean =>
  /\b(?:Reference|Type|Syntax)Error\b|Test timed out/.test(output)

const lastLine = (output: string): string => output.trim().split("\n").at(-1) ?? ""

const attempt = async (
  copy: string,
  { file, find, name, replace, tests }: Mutant
): Promise<Result> => {
  const startedMillis = performance.now()
  const path = join(copy, file)
  const source = readFileSync(path, "utf8")
  const result = (verdict: Result["verdict"], detail: string): Result => ({
    name,
    verdict,
    seconds: (performance.now() - startedMillis) / 1000,
    detail
  })
  writeFileSync(
    path,
    source.replace(find, () => replace)
  )
  try {
    const simulated = await simulate(copy)
    const violation = /FAILED: (.*)/.exec(simulated.output)?.[1]
    if (simulated.timedOut) return result("unclear", "the simulation did not end")
    if (simulated.failed) {
      return violation === undefined || isInconclusive(violation)
        ? result("unclear", violation ?? lastLine(simulated.output))
        : result("caught by simulation", violation)
    }
    const tested = await test(copy, tests)
    const [, title, error = ""] = /FAIL\s+(.*)\n(.*)/.exec(tested.output) ?? []
    if (tested.timedOut) return result("unclear", "the tests did not end")
    if (!tested.failed) return result("MISSED", "")
    return title === undefined || isInconclusive(error)
      ? result("unclear", title ?? lastLine(tested.output))
      : result("caught by tests", title)
  } finally {
    writeFileSync(path, source)
  }
}

const row = ({ detail, name, seconds, verdict }: Result): string =>
  [
    name.padEnd(Math.max(...mutants.map(({ name }) => name.length))),
    verdict.padEnd(20),
    `${seconds.toFixed(0)} s`.padStart(5),
    detail.slice(0, 90)
  ].join("  ")

const waiting = [...chosen]
const results: Array<Result> = []
const worker = async (_: unknown, index: number): Promise<void> => {
  const copy = copyRepository()
  try {
    // A test that fails without a mutant would appear to catch every mutant.
    if (index === 0) {
      const tests = [...new Set(chosen.flatMap(({ tests }) => tests))]
      const [simulated, tested] = [await simulate(copy), await test(copy, tests)]
      if (simulated.failed || tested.failed) {
        console.error(
          `The checks fail${tested.timedOut ? " (timeout)" : ""} without a mutant:\n${simulated.failed ? simulated.output : tested.output}`
        )
        process.exitCode = 2
        waiting.length = 0
      }
    }
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await attempt(copy, next)
      results.push(result)
      console.log(row(result))
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
    copies.delete(copy)
  }
}
await Promise.all(Array.from({ length: Math.min(jobs, chosen.length) }, worker))

const count = (verdict: Result["verdict"]) =>
  results.filter((result) => result.verdict === verdict).length
console.log(
  `\n${results.length} mutants: ${count("caught by simulation")} caught by the simulation, ${count("caught by tests")} by the tests, ${count("MISSED")} missed, ${count("unclear")} unclear`
)
for (const { name, verdict } of results) {
  if (verdict === "MISSED" || verdict === "unclear") console.log(`${verdict}  ${name}`)
}
const caught = count("caught by simulation") + count("caught by tests")
if (results.length !== chosen.length) {
  console.error(`Only ${results.length} of ${chosen.length} mutants were run`)
}
process.exitCode ??= caught === chosen.length ? 0 : 1
