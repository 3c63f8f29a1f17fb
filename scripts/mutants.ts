// `npm run mutants` shows that the tests notice deliberate faults. First it makes the edits of `mutants.diff`,
// one at a time, in a copy of the repository. Then Stryker changes the pure modules that `stryker.config.json` names.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { execFile, type ExecFileException, spawnSync } from "node:child_process"
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
import { promisify } from "node:util"
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

/** Reads blocks of lines: `@@ FILE by TEST...` begins a file, and every other block is an edit. */
const read = (text: string): ReadonlyArray<Mutant> => {
  const mutants: Array<Mutant> = []
  let file = ""
  let tests: ReadonlyArray<string> = []
  let find = ""
  for (const block of text.split(/\n{2,}/)) {
    const lines = block.trim().split("\n")
    /** The rests of the lines with a mark. */
    const marked = (mark: string) =>
      lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : [])).join("\n")
    const [first = ""] = lines
    if (first.startsWith("@@ ")) {
      const [path, ...names] = block.slice("@@ ".length).split(/\s+(?:by\s+)?/)
      file = `packages/${path}`
      tests = names.map((name) => `packages/${name.replace("/", "/test/")}.test.ts`)
    } else if (!first.startsWith("#")) {
      find = marked("- ") || find
      mutants.push({
        name: first.replace("money: ", ""),
        isMoney: first.startsWith("money: "),
        file,
        find,
        replace: marked("+ "),
        tests
      })
    }
  }
  return mutants
}

/** Why an edit does not fit: its snippet is not in the source exactly once, or a test does not exist. */
const staleness = ({ file, find, name, tests }: Mutant): ReadonlyArray<string> => {
  const path = join(root, file)
  const matches = existsSync(path) ? readFileSync(path, "utf8").split(find).length - 1 : 0
  const missing = tests.filter((test) => !existsSync(join(root, test)))
  return [
    ...(matches === 1 ? [] : [`${name}: expected one match in ${file}, found ${matches}`]),
    ...missing.map((test) => `${name}: ${test} does not exist`)
  ]
}

/** The modules that Stryker changes, as far as they do not exist. Stryker skips them without a failure. */
const missingModules = (): ReadonlyArray<string> => {
  const { mutate }: { readonly mutate: ReadonlyArray<string> } = JSON.parse(
    readFileSync(join(root, "stryker.config.json"), "utf8")
  )
  return mutate
    .filter((module) => !existsSync(join(root, module)))
    .map((module) => `stryker.config.json: ${module} does not exist`)
}

/** Copies the repository. The links of a package to others are relative: they lead into the copy. */
const copyRepository = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "manilla-mutants-"))
  process.on("exit", () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }))
  const left = /^(?:node_modules|\.git|\.reports|\.tsbuild|benchmarks)$|(?:^|\/)dist$/
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !left.test(relative(root, path))
  })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** A mutant that cannot run at all, or a test timeout, which may be due to a busy machine, proves nothing. */
const isInconclusive = /\b(?:Reference|Type|Syntax)Error\b|Test timed out/

/** Runs tests, and returns what failed, or `undefined`. */
const failureOf = async (copy: string, tests: ReadonlyArray<string>) => {
  // Sequential files: with parallel files, `--bail` also aborts and reports tests in other files.
  const options = ["--bail=1", "--no-file-parallelism", "--reporter=dot", "--testTimeout=60000"]
  try {
    await promisify(execFile)(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--project=test", ...options, ...tests],
      { cwd: copy, timeout: 300_000 * tests.length, killSignal: "SIGKILL", maxBuffer: Infinity }
    )
    return undefined
  } catch (error) {
    const { killed, stderr, stdout } = error as ExecFileException
    const [, title = "no test failed", message = ""] =
      /FAIL\s+(.*)\n(.*)/.exec(`${stdout}${stderr}`) ?? []
    return killed === true || isInconclusive.test(message) ? `UNCLEAR: ${title}` : title
  }
}

/** Makes edits, and returns whether tests noticed all of them. */
const runList = async (chosen: ReadonlyArray<Mutant>, jobs: number): Promise<boolean> => {
  const [first = "", ...others] = Array.from({ length: jobs }, copyRepository)
  // A test that fails without a mutant would appear to notice every mutant.
  const unchanged = await failureOf(first, [...new Set(chosen.flatMap(({ tests }) => tests))])
  if (unchanged !== undefined) {
    console.error(`Without a mutant: ${unchanged}`)
    return false
  }
  const waiting = [...chosen]
  let noticed = 0
  const work = async (copy: string) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, find, name, replace, tests } = next
      const source = readFileSync(join(copy, file), "utf8")
      writeFileSync(join(copy, file), source.split(find).join(replace))
      const verdict = (await failureOf(copy, tests)) ?? "MISSED"
      writeFileSync(join(copy, file), source)
      if (!/^(?:MISSED|UNCLEAR)/.test(verdict)) noticed++
      console.log(`${name}\n    ${verdict.slice(0, 120)}`)
    }
  }
  await Promise.all([first, ...others].map(work))
  console.log(`\n${chosen.length} mutants of the list, ${noticed} noticed`)
  return noticed === chosen.length
}

const options = {
  list: flag("list", "only the edits of mutants.diff, without Stryker"),
  money: flag("money", "only the edits that lose, double or misname money"),
  only: Options.text("only").pipe(
    Options.withDescription("only the edits whose names or files contain this text"),
    Options.withDefault("")
  ),
  jobs: count("jobs", 2, "copies of the repository, each with a test at a time")
}

const run = async ({ jobs, list, money, only }: Command.Command.ParseConfig<typeof options>) => {
  const mutants = read(readFileSync(join(root, "scripts/mutants.diff"), "utf8"))
  const stale = [...mutants.flatMap(staleness), ...missingModules()]
  if (stale.length > 0) throw new Error(`Edits that do not fit:\n  ${stale.join("\n  ")}`)
  const chosen = mutants.filter(
    ({ file, isMoney, name }) => `${file}: ${name}`.includes(only) && (isMoney || !money)
  )
  if (chosen.length === 0) throw new Error(`No mutant contains "${only}"`)
  const isStryker = !list && !money && only === ""
  const holds = await runList(chosen, jobs)
  const stryker = isStryker ? spawnSync("npx", ["stryker", "run"], { stdio: "inherit" }).status : 0
  if (!holds || stryker !== 0) process.exitCode = 1
}

process.on("SIGINT", () => process.exit(130))
process.on("SIGTERM", () => process.exit(143))
runCommand(
  Command.make("npm run mutants --", options, (wanted) =>
    Effect.tryPromise({ try: () => run(wanted), catch: (error) => error })
  )
)
