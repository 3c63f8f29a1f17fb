// `npm run mutants` shows that the tests notice deliberate faults. First it makes the edits of `mutants.diff`,
// one at a time, in a copy of the repository. Then Stryker changes the pure modules that `stryker.config.json` names.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { execFile, spawnSync } from "node:child_process"
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
import { count, flag, runCommand } from "./cli.js"
import { root } from "./packages.js"

interface Mutant {
  readonly name: string
  readonly file: string
  /** Whether it loses, doubles or misnames money. */
  readonly isMoney: boolean
  /** A snippet that occurs in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** The test files that may notice it. */
  readonly tests: ReadonlyArray<string>
}

/** Reads blocks of lines: `@@ FILE` and `by TEST...` begin a file, and every other block is an edit. */
const read = (text: string): ReadonlyArray<Mutant> => {
  const mutants: Array<Mutant> = []
  let file = ""
  let tests: ReadonlyArray<string> = []
  for (const block of text.split(/\n{2,}/)) {
    const lines = block.split("\n").filter((line) => !line.startsWith("#"))
    /** The rests of the lines with a mark. */
    const marked = (mark: string) =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length))
    const [first = ""] = lines
    if (first.startsWith("@@ ")) {
      file = `packages/${first.slice("@@ ".length)}`
      tests = marked("by ").flatMap((line) =>
        line.split(" ").map((test) => `packages/${test.replace("/", "/test/")}.test.ts`)
      )
    } else if (first !== "") {
      const isMoney = first.startsWith("money: ")
      const [find, replace] = [marked("- ").join("\n"), marked("+ ").join("\n")]
      mutants.push({ name: first.replace("money: ", ""), file, isMoney, find, replace, tests })
    }
  }
  return mutants
}

const mutants = read(readFileSync(join(root, "scripts/mutants.diff"), "utf8"))

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

const test = (copy: string, tests: ReadonlyArray<string>): Promise<Ran> => {
  // Sequential files: with parallel files, `--bail` also aborts and reports tests in other files.
  const options = ["--bail=1", "--no-file-parallelism", "--reporter=dot", "--testTimeout=60000"]
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--project=test", ...options, ...tests],
      { cwd: copy, timeout: 300_000, killSignal: "SIGKILL", maxBuffer: Infinity },
      (error, stdout, stderr) =>
        resolve({
          failed: error !== null,
          timedOut: error?.killed === true,
          output: stdout + stderr
        })
    )
  )
}

/** A mutant that cannot run at all, or a test timeout, which may be due to a busy machine, proves nothing. */
const isInconclusive = /\b(?:Reference|Type|Syntax)Error\b|Test timed out/

/** What noticed the mutant. */
const verdictOf = ({ failed, output, timedOut }: Ran): string => {
  if (!failed) return "MISSED"
  const [, title = "no test failed", error = ""] = /FAIL\s+(.*)\n(.*)/.exec(output) ?? []
  return timedOut || isInconclusive.test(error) ? `UNCLEAR: ${title}` : title
}

/** Runs mutants, and returns whether all were noticed. */
const runList = async (chosen: ReadonlyArray<Mutant>, jobs: number): Promise<boolean> => {
  if (stale.length > 0) {
    console.error(`Edits that no longer fit:\n  ${stale.join("\n  ")}`)
    return false
  }
  const [first = "", ...others] = Array.from({ length: jobs }, copyRepository)
  // A test that fails without a mutant would appear to notice every mutant.
  const unchanged = await test(first, [...new Set(chosen.flatMap(({ tests }) => tests))])
  if (unchanged.failed) {
    console.error(unchanged.output)
    return false
  }
  const waiting = [...chosen]
  let noticed = 0
  const work = async (copy: string) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, find, name, replace, tests } = next
      const source = readFileSync(join(copy, file), "utf8")
      writeFileSync(join(copy, file), source.split(find).join(replace))
      const verdict = verdictOf(await test(copy, tests))
      writeFileSync(join(copy, file), source)
      if (!/^(?:MISSED|UNCLEAR)/.test(verdict)) noticed++
      console.log(`${name}\n    ${verdict.slice(0, 120)}`)
    }
  }
  await Promise.all([first, ...others].map(work))
  console.log(`\n${chosen.length} mutants of the list, ${noticed} noticed`)
  return noticed === chosen.length
}

const runStryker = async (): Promise<boolean> =>
  spawnSync("npx", ["stryker", "run"], { cwd: root, stdio: "inherit" }).status === 0

const options = {
  list: flag("list", "only the edits of mutants.diff"),
  stryker: flag("stryker", "only Stryker"),
  money: flag("money", "only the edits that lose, double or misname money"),
  only: Options.text("only").pipe(
    Options.withDescription("only the edits whose names contain this text"),
    Options.withDefault("")
  ),
  jobs: count("jobs", 2, "copies of the repository, each with a test at a time")
}

const run = async ({
  jobs,
  list,
  money,
  only,
  stryker
}: Command.Command.ParseConfig<typeof options>) => {
  const isNarrow = list || money || only !== ""
  const chosen = mutants.filter(({ isMoney, name }) => name.includes(only) && (isMoney || !money))
  if (chosen.length === 0) throw new Error(`No mutant contains "${only}"`)
  const runs = [
    ...(isNarrow || !stryker ? [() => runList(chosen, jobs)] : []),
    ...(stryker || !isNarrow ? [runStryker] : [])
  ]
  for (const run of runs) if (!(await run())) process.exitCode = 1
}

process.on("SIGINT", () => process.exit(130))
process.on("SIGTERM", () => process.exit(143))
runCommand(
  Command.make("npm run mutants --", options, (wanted) => Effect.promise(() => run(wanted)))
)
