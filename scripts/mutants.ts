// `npm run mutants` shows that the tests notice deliberate faults. First it applies the edits of
// `mutants.list.ts`, one at a time, to a copy of the repository. Then Stryker changes the arithmetic of the pure
// modules that `stryker.config.json` names. `--list` or `--stryker` runs one of both, `--money` the edits that
// lose, double or misname money, without the simulation, `--only TEXT` the edits whose names contain the text.
import { spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { mutants, type Mutant } from "./mutants.list.js"
import { root } from "./packages.js"

const { values } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    stryker: { type: "boolean", default: false },
    money: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seeds: { type: "string", default: "300" },
    jobs: { type: "string", default: "2" }
  }
})

/** Edits whose snippet is not in the source exactly once, or whose tests do not exist. */
const stale = mutants.flatMap(({ file, find, name, tests }) => {
  const path = join(root, file)
  const matches = existsSync(path) ? readFileSync(path, "utf8").split(find).length - 1 : 0
  return [
    ...(matches === 1 ? [] : [`${name}: expected one match in ${file}, found ${matches}`]),
    ...tests
      .filter((test) => !existsSync(join(root, test)))
      .map((test) => `${name}: ${test} does not exist`)
  ]
})

/** Copies the repository. The links of a package to others are relative: they lead into the copy. */
const copyRepository = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "manilla-mutants-"))
  process.on("exit", () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }))
  const left = /^(?:node_modules|\.git|\.reports|\.tsbuild|docs|benchmarks)$|(?:^|\/)dist$/
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !left.test(relative(root, path))
  })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

interface Ran {
  readonly failed: boolean
  readonly timedOut: boolean
  readonly output: string
}

const run = (copy: string, ...args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    // Leads a process group, which ends with it.
    const child = spawn(process.execPath, args, { cwd: copy, detached: true })
    const kill = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    }
    process.once("exit", kill)
    let timedOut = false
    const limit = setTimeout(() => {
      timedOut = true
      kill()
    }, 300_000)
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    child.on("close", (code) => {
      clearTimeout(limit)
      process.off("exit", kill)
      resolve({ failed: code !== 0, timedOut, output })
    })
  })

const simulate = (copy: string) =>
  run(copy, "--import", "tsx", "scripts/simulate.ts", "--seeds", values.seeds, "--stop-at", "1")

const test = (copy: string, tests: ReadonlyArray<string>) =>
  run(
    copy,
    "node_modules/vitest/vitest.mjs",
    "run",
    "--bail=1",
    // Sequential files: with parallel files, `--bail` also aborts and reports tests in other files.
    "--no-file-parallelism",
    "--reporter=dot",
    "--testTimeout=60000",
    ...tests
  )

/** A mutant that cannot run at all, or a test timeout, which may be due to a busy machine, proves nothing. */
const isInconclusive = /\b(?:Reference|Type|Syntax)Error\b|Test timed out/

/** Who noticed the mutant, and by what. */
const verdictOn = async (copy: string, { isMoney, tests }: Mutant): Promise<string> => {
  if (!isMoney) {
    const simulated = await simulate(copy)
    const [, violation] = /FAILED: (.*)/.exec(simulated.output) ?? []
    if (violation !== undefined && !isInconclusive.test(violation))
      return `simulation: ${violation}`
    if (simulated.failed) return `UNCLEAR: ${simulated.output.trim().split("\n").at(-1)}`
  }
  const tested = await test(copy, tests)
  if (!tested.failed) return "MISSED"
  const [, title = "no test failed", error = ""] = /FAIL\s+(.*)\n(.*)/.exec(tested.output) ?? []
  return tested.timedOut || isInconclusive.test(error) ? `UNCLEAR: ${title}` : `tests: ${title}`
}

/** Runs the mutants of the list, and returns how many were not noticed. */
const runList = async (): Promise<number> => {
  const chosen = mutants.filter(
    ({ isMoney, name }) => name.includes(values.only) && (isMoney || !values.money)
  )
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))]
  const waiting = [...chosen]
  const copies = Array.from({ length: Math.max(1, Number(values.jobs)) }, copyRepository)
  // A test that fails without a mutant would appear to notice every mutant.
  const [first = ""] = copies
  const unchanged = [await test(first, tests), ...(values.money ? [] : [await simulate(first)])]
  const broken = unchanged.find(({ failed }) => failed)
  if (broken !== undefined || chosen.length === 0) {
    console.error(broken?.output ?? `No mutant contains "${values.only}"`)
    return 1
  }
  let left = 0
  const work = async (copy: string) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, find, name, replace } = next
      const source = readFileSync(join(copy, file), "utf8")
      writeFileSync(
        join(copy, file),
        source.replace(find, () => replace)
      )
      const verdict = await verdictOn(copy, next)
      writeFileSync(join(copy, file), source)
      if (/^[A-Z]/.test(verdict)) left++
      console.log(`${name}\n    ${verdict.slice(0, 120)}`)
    }
  }
  await Promise.all(copies.map(work))
  console.log(`\n${chosen.length} mutants of the list, ${chosen.length - left} noticed`)
  return left
}

process.on("SIGINT", () => process.exit(130))
process.on("SIGTERM", () => process.exit(143))
if (stale.length > 0) {
  console.error(`Edits that no longer fit:\n  ${stale.join("\n  ")}`)
  process.exit(2)
}
const isNarrow = values.list || values.money || values.only !== ""

if ((isNarrow || !values.stryker) && (await runList()) > 0) process.exitCode = 1
if (values.stryker || !isNarrow) {
  const { status } = spawnSync("npx", ["stryker", "run"], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
