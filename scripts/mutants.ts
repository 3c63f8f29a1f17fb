// `npm run mutants` puts one deliberate fault after the other into a copy of the client, and sees
// whether the simulation, or else the tests that the mutant names, notice. `--only NAME` tries one,
// `--seeds N` runs more of the simulation, `--jobs N` tries several at a time.
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
  console.error(`--${name} must be a whole number from 1: ${text}`)
  process.exit(2)
}
const jobs = atLeastOne("jobs", values.jobs)
const seeds = atLeastOne("seeds", values.seeds)

/** A mutant whose place has changed finds nothing: it has to be written anew. */
const stale = mutants.flatMap(({ file, find, name, tests }) => {
  const matches = readFileSync(join(root, file), "utf8").split(find).length - 1
  return [
    ...(matches === 1 ? [] : [`${name}: ${matches} matches in ${file}, and one is expected`]),
    ...tests.flatMap((test) =>
      existsSync(join(root, test)) ? [] : [`${name}: there is no ${test}`]
    )
  ]
})
if (stale.length > 0) {
  console.error(`Stale mutants:\n  ${stale.join("\n  ")}`)
  process.exit(2)
}

const chosen =
  values.only === undefined ? mutants : mutants.filter(({ name }) => name === values.only)
if (chosen.length === 0) {
  console.error(
    `There is no mutant "${values.only}". There are:\n${mutants.map(({ name }) => `  ${name}`).join("\n")}`
  )
  process.exit(2)
}

/** What is to be taken away, however this ends. */
const copies = new Set<string>()
const children = new Set<ChildProcess>()

/** A child leads a group of its own: with it goes all that it started. */
const kill = ({ exitCode, pid, signalCode }: ChildProcess): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

process.on("exit", () => {
  for (const child of children) kill(child)
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
})
process.on("SIGINT", () => process.exit(130))
process.on("SIGTERM", () => process.exit(143))

/** The tracked and the new files, and the installed dependencies by links. */
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

/** Links between packages are relative: copied as they are, they lead to the copy. */
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
  readonly said: string
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
    let said = ""
    child.stdout.on("data", (chunk) => (said += String(chunk)))
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.on("close", (code) => {
      clearTimeout(limit)
      children.delete(child)
      resolve({ failed: code !== 0, timedOut, said })
    })
  })

interface Result {
  readonly name: string
  readonly verdict: "caught by simulation" | "caught by tests" | "unclear" | "MISSED"
  readonly seconds: number
  readonly how: string
}

const simulate = (copy: string) =>
  run(copy, ["--import", "tsx", "scripts/simulate.ts", "--seeds", String(seeds), "--stop-at", "1"])

/** Not those of ten thousand callers: they take long, and break last. */
const ordinary = "--testNamePattern=^(?!.*10,000)"
const vitest = "node_modules/vitest/vitest.mjs"

const test = (copy: string, tests: ReadonlyArray<string>) =>
  run(copy, [
    vitest,
    "run",
    "--bail=1",
    // One file after the other: to bail breaks off a test in another file, which would be named as well.
    "--no-file-parallelism",
    "--reporter=dot",
    "--testTimeout=60000",
    ordinary,
    ...tests
  ])

/**
 * It did not misbehave: it cannot run, and any program would have noticed. And a test that runs out of
 * time may do so on a busy machine.
 */
const isNonsense = (said: string): boolean =>
  /\b(?:Reference|Type|Syntax)Error\b|Test timed out/.test(said)

const lastLine = (said: string): string => said.trim().split("\n").at(-1) ?? ""

const attempt = async (
  copy: string,
  { file, find, name, replace, tests }: Mutant
): Promise<Result> => {
  const startedMillis = performance.now()
  const path = join(copy, file)
  const source = readFileSync(path, "utf8")
  const result = (verdict: Result["verdict"], how: string): Result => ({
    name,
    verdict,
    seconds: (performance.now() - startedMillis) / 1000,
    how
  })
  writeFileSync(
    path,
    source.replace(find, () => replace)
  )
  try {
    const simulated = await simulate(copy)
    const violation = /FAILED: (.*)/.exec(simulated.said)?.[1]
    if (simulated.timedOut) return result("unclear", "the simulation did not end")
    if (simulated.failed) {
      return violation === undefined || isNonsense(violation)
        ? result("unclear", violation ?? lastLine(simulated.said))
        : result("caught by simulation", violation)
    }
    const tested = await test(copy, tests)
    const [, title, error = ""] = /FAIL\s+(.*)\n(.*)/.exec(tested.said) ?? []
    if (tested.timedOut) return result("unclear", "the tests did not end")
    if (!tested.failed) return result("MISSED", "")
    return title === undefined || isNonsense(error)
      ? result("unclear", title ?? lastLine(tested.said))
      : result("caught by tests", title)
  } finally {
    writeFileSync(path, source)
  }
}

const row = ({ how, name, seconds, verdict }: Result): string =>
  [
    name.padEnd(Math.max(...mutants.map(({ name }) => name.length))),
    verdict.padEnd(20),
    `${seconds.toFixed(0)} s`.padStart(5),
    how.slice(0, 90)
  ].join("  ")

const waiting = [...chosen]
const results: Array<Result> = []
const worker = async (_: unknown, index: number): Promise<void> => {
  const copy = copyRepository()
  try {
    // What fails without a mutant would seem to catch them all.
    if (index === 0) {
      const tests = [...new Set(chosen.flatMap(({ tests }) => tests))]
      const [simulated, tested] = [await simulate(copy), await test(copy, tests)]
      if (simulated.failed || tested.failed) {
        console.error(
          `It fails${tested.timedOut ? " (for want of time)" : ""} without a mutant:\n${simulated.failed ? simulated.said : tested.said}`
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
  console.error(`${chosen.length} mutants were to be tried, and ${results.length} were`)
}
process.exitCode ??= caught === chosen.length ? 0 : 1
