/**
 * `manilla-sandbox prove proof.yaml`.
 */
import * as Issues from "@manilla/core/Issues"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { dirname, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as html from "../prove/html.js"
import * as outside from "../prove/outside.js"
import * as plan from "../prove/plan.js"
import * as proofs from "../prove/proof.js"
import * as report from "../prove/report.js"
import * as trials from "../prove/trial.js"
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
    const result = yield* proofs.prove({
      pairs: proof.pairs,
      seed: proof.seed,
      run,
      inProcess: false,
      repeat: (number) => `manilla-sandbox prove ${path} --run ${number}`,
      trial: (one, known) =>
        Effect.scoped(
          trials.trial(one, known, proofFile.timingOf(proof), (watch) =>
            outside.make(proof, cwd, watch)
          )
        ),
      onRun: (one, done, count) => {
        const took = clock.unsafeCurrentTimeMillis() - start
        const left = report.duration((took / done.length) * (count - done.length + 1))
        const failed = done.filter(report.hasFailed)
        const [first] = failed
        // The first failure is worth reading while the others run.
        const isNew = first !== undefined && failed.length === 1 && done.at(-1) === first
        const news = isNew
          ? Console.error(`\n${report.titleOf(first)}\n  ✗ ${first.violations[0]?.sentence}\n`)
          : Effect.void
        const line = `${done.length}/${count}  ${failed.length} failed  ${left} left`
        return Effect.zipRight(news, progress(line, one))
      }
    })
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    yield* Console.log(result.text)
    if (values.html !== undefined) yield* html.write(values.html, result)
    if (values.junit !== undefined) yield* html.writeText(values.junit, report.junit(result))
    return result.failed.length === 0
  })

/** One line in a terminal, and otherwise a line for every tenth run. */
const progress = (line: string, run: plan.Run) =>
  Effect.sync(() => {
    const { columns = 80, isTTY } = process.stderr
    const whole = `${line}  ${plan.words(run)}`.slice(0, columns - 1)
    if (isTTY) process.stderr.write(`\r\u001b[K${whole}`)
    else if (/^\d*1\//.test(line)) process.stderr.write(`${line}\n`)
  })
