// `npm run mutants` puts one deliberate fault after the other into a copy of the client, and sees
// whether the simulation, or else the tests, notice. `--only NAME` tries one, `--seeds N` runs more
// of the simulation, `--jobs N` tries several at a time.
import { execFileSync, spawn } from "node:child_process"
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
    seeds: { type: "string", default: "1500" },
    jobs: { type: "string", default: "2" }
  }
})

/** A mutant whose place has changed finds nothing: it has to be written anew. */
const stale = mutants.flatMap(({ file, find, name }) => {
  const matches = readFileSync(join(root, file), "utf8").split(find).length - 1
  return matches === 1 ? [] : [`${name}: ${matches} matches in ${file}, and one is expected`]
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

/** The tracked and the new files, and the installed dependencies by links. */
const copyRepository = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "manilla-mutants-"))
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

const run = (
  copy: string,
  args: ReadonlyArray<string>
): Promise<{ failed: boolean; said: string }> =>
  new Promise((resolve) => {
    // A group of its own: what does not end is ended with all the processes that it started.
    const child = spawn(process.execPath, args, { cwd: copy, detached: true })
    const limit = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }, 120_000)
    let said = ""
    child.stdout.on("data", (chunk) => (said += String(chunk)))
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.on("close", (code) => {
      clearTimeout(limit)
      resolve({ failed: code !== 0, said })
    })
  })

interface Result {
  readonly name: string
  readonly caught: "simulation" | "tests" | undefined
  readonly seconds: number
  readonly how: string
}

const simulate = (copy: string) =>
  run(copy, ["--import", "tsx", "scripts/simulate.ts", "--seeds", values.seeds, "--stop-at", "1"])

/** Not those of ten thousand callers: they take long, and break last. */
const ordinary = "--testNamePattern=^(?!.*10,000)"
const vitest = "node_modules/vitest/vitest.mjs"

/** The tests that are about what the mutants break. */
const tests = [
  "packages/core/test/Answer.test.ts",
  "packages/core/test/Interruption.test.ts",
  "packages/core/test/Loopback.test.ts",
  "packages/core/test/Pagination.test.ts",
  "packages/core/test/Request.test.ts",
  "packages/core/test/Retry.test.ts",
  "packages/token/test/Token.test.ts",
  "packages/payments/test/Create.test.ts",
  "packages/payments/test/Settlement.test.ts"
]

const test = (copy: string) =>
  run(copy, [
    vitest,
    "run",
    "--bail=1",
    "--reporter=dot",
    "--testTimeout=60000",
    ordinary,
    ...tests
  ])

const attempt = async (copy: string, { file, find, name, replace }: Mutant): Promise<Result> => {
  const startedMillis = performance.now()
  const path = join(copy, file)
  const source = readFileSync(path, "utf8")
  const result = (caught: Result["caught"], how: string): Result => ({
    name,
    caught,
    seconds: (performance.now() - startedMillis) / 1000,
    how
  })
  writeFileSync(
    path,
    source.replace(find, () => replace)
  )
  try {
    const simulated = await simulate(copy)
    if (simulated.failed) {
      return result("simulation", /FAILED: (.*)/.exec(simulated.said)?.[1] ?? "it did not end")
    }
    const tested = await test(copy)
    return tested.failed
      ? result("tests", /FAIL\s+(.*)/.exec(tested.said)?.[1] ?? "they did not end")
      : result(undefined, "")
  } finally {
    writeFileSync(path, source)
  }
}

const row = ({ caught, how, name, seconds }: Result): string =>
  [
    name.padEnd(Math.max(...mutants.map(({ name }) => name.length))),
    (caught === undefined ? "MISSED" : `caught by ${caught}`).padEnd(20),
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
      const [simulated, tested] = [await simulate(copy), await test(copy)]
      if (simulated.failed || tested.failed) {
        console.error(
          `It fails without a mutant:\n${simulated.failed ? simulated.said : tested.said}`
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
  }
}
await Promise.all(Array.from({ length: Number(values.jobs) }, worker))

const count = (caught: Result["caught"]) =>
  results.filter((result) => result.caught === caught).length
console.log(
  `\n${results.length} mutants: ${count("simulation")} caught by the simulation, ${count("tests")} by the tests, ${count(undefined)} missed`
)
for (const { name } of results.filter(({ caught }) => caught === undefined)) {
  console.log(`MISSED  ${name}`)
}
process.exitCode ??= count(undefined) === 0 ? 0 : 1
