/**
 * `manilla-sandbox prove proof.yaml`.
 */
import * as Issues from "@manilla/core/Issues"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as all from "../prove/all.js"
import * as html from "../prove/html.js"
import * as outside from "../prove/outside.js"
import * as plan from "../prove/plan.js"
import * as report from "../prove/report.js"
import { UsageError } from "./cli.js"
import * as file from "./file.js"
import * as proofFile from "./proof.js"

export const help = `manilla-sandbox prove: every fault at every request of your server

Usage: manilla-sandbox prove <file> [options]

  <file>             the proof in YAML: your server, what its buyer sends, and what it says
  --run <number>     repeat only this run, and draw its requests
  --html <file>      write the failures with their drawings, as a page
  --junit <file>     write a test case for each run, in JUnit's format

It starts your server again and again on a sandbox of its own. Each time, another request meets
another fault, or the server is killed there. The ledger judges: money moves once, and nobody is told
what is not so. Exit code 0: passed, 1: failed, 2: the proof cannot run.`

const parse = (args: ReadonlyArray<string>) =>
  Effect.try({
    try: () =>
      parseArgs({
        args: [...args],
        allowPositionals: true,
        options: {
          run: { type: "string" },
          html: { type: "string" },
          junit: { type: "string" },
          help: { type: "boolean", short: "h" }
        }
      }),
    catch: (cause) => new UsageError({ message: file.reasonOf(cause) })
  })

/** Returns whether the server passed. */
export const command = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { positionals, values } = yield* parse(args)
    if (values.help) {
      yield* Console.log(help)
      return true
    }
    const [path, ...rest] = positionals
    if (path === undefined || rest.length > 0) {
      return yield* new UsageError({
        message: "Name one file: manilla-sandbox prove proof.yaml. --help describes it."
      })
    }
    if (values.run !== undefined && !/^\d{1,6}$/.test(values.run)) {
      return yield* new UsageError({
        message: Issues.print([{ field: "--run", rule: "must be the number of a run" }])
      })
    }
    if (process.platform === "win32") {
      return yield* new UsageError({
        message: "prove kills groups of processes, which Windows does not have. Use WSL."
      })
    }
    const run = values.run === undefined ? undefined : Number(values.run)
    const proof = yield* proofFile.read(path)
    const cwd = dirname(resolve(path))
    const clock = yield* Effect.clock
    const start = clock.unsafeCurrentTimeMillis()
    yield* Console.error("A run without faults first …")
    const result = yield* all.prove({
      pairs: proof.pairs,
      seed: proof.seed,
      inProcess: false,
      run,
      trial: (one, known) => outside.trial(proof, cwd, one, known),
      repeat: (number) => `manilla-sandbox prove ${path} --run ${number}`,
      onRun: (one, done, count) => {
        const failed = done.filter(({ violations }) => violations.length > 0).length
        const took = clock.unsafeCurrentTimeMillis() - start
        const left = (took / (done.length + 1)) * (count - done.length)
        const line = `${done.length + 1}/${count}  ${failed} failed  ${report.duration(left)} left`
        return progress(line, plan.words(one))
      }
    })
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    yield* Console.log(report.text(result, "table"))
    if (run !== undefined) {
      const shown = run === 0 ? [result.calm] : result.trials
      for (const trial of shown.filter(({ violations }) => violations.length === 0)) {
        yield* Console.log(["", report.titleOf(trial), ...report.drawing(trial)].join("\n"))
      }
    }
    if (values.html !== undefined) yield* write(values.html, yield* html.make(result))
    if (values.junit !== undefined) yield* write(values.junit, report.junit(result))
    return report.failed(result).length === 0
  })

/** One line in a terminal, and otherwise a line for every tenth run. */
const progress = (line: string, words: string) =>
  Effect.sync(() => {
    const { columns = 80, isTTY } = process.stderr
    if (isTTY) process.stderr.write(`\r\u001b[K${`${line}  ${words}`.slice(0, columns - 1)}`)
    else if (/^\d*1\//.test(line)) process.stderr.write(`${line}\n`)
  })

const write = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => writeFile(path, text),
    catch: (cause) =>
      new all.Problem({ message: `${path} is not written: ${file.reasonOf(cause)}` })
  })
