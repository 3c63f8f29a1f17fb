/**
 * `manilla-sandbox prove proof.yaml`.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dirname, resolve } from "node:path"
import * as page from "../prove/html.js"
import * as outside from "../prove/outside.js"
import * as plan from "../prove/plan.js"
import * as proofs from "../prove/proof.js"
import * as report from "../prove/report.js"
import * as cli from "./cli.js"
import * as proofFile from "./proof.js"

export const help = `manilla-sandbox prove: every fault at every request of your server

Usage: manilla-sandbox prove <file> [options]

  <file>             the proof in YAML: your server, what its buyer sends, and what it says
  --run <run>        repeat only this run, by its faults or its number, and draw its requests
  --html <file>      write the failures with their drawings, as a page
  --junit <file>     write a test case for each run, in JUnit's format

It starts your server again and again on a sandbox of its own. Each time, another request meets
another fault, or the server is killed there. The ledger judges: money moves once, and nobody is told
what is not so. Exit code 0: passed, 1: failed, 2: the proof cannot run, 130: you have stopped it.`

const Arguments = Schema.Struct({
  run: Schema.optional(cli.Text),
  html: Schema.optional(cli.Text),
  junit: Schema.optional(cli.Text),
  help: cli.flag
})

const parse = cli.reader(Arguments, true)

/** Returns whether the server passed. */
export const command = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { positionals, values } = yield* parse(args)
    const { help: isHelp, html, junit, run } = values
    if (isHelp) {
      yield* Console.log(help)
      return true
    }
    const [path, ...rest] = positionals
    if (path === undefined || rest.length > 0) {
      const message = "Name one file: manilla-sandbox prove proof.yaml. --help describes it."
      return yield* new cli.UsageError({ message })
    }
    const proof = yield* proofFile.read(path)
    const cwd = dirname(resolve(path))
    const repeat = (run: plan.Run) => `add --run "${plan.words(run)}" to the command.`
    const write = (result: report.Report) =>
      Effect.gen(function* () {
        if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
        yield* Console.log(result.text)
        if (html !== undefined) yield* page.write(html, result)
        if (junit !== undefined) yield* page.writeText(junit, report.junit(result))
      })
    yield* Console.error("A run without faults first …")
    const result = yield* proofs.prove({
      ...proof,
      run,
      inProcess: false,
      hasOthers: [proof.request, proof.told].every((one) =>
        JSON.stringify(one).includes("{order}")
      ),
      repeat,
      world: () => outside.world(proof, cwd),
      onRun: progress(performance.now(), repeat),
      onStop: (done) =>
        Effect.catchAll(write(done), ({ message }) => Console.error(message)).pipe(
          // Not every run is proved.
          Effect.zipRight(cli.exit(130))
        )
    })
    yield* write(result)
    return result.failed.length === 0
  })

/** One line in a terminal, and otherwise a line for every tenth run. */
const progress =
  (
    startMillis: number,
    repeat: proofs.Options<never>["repeat"]
  ): NonNullable<proofs.Options<never>["onRun"]> =>
  (run, done, all) =>
    Effect.sync(() => {
      const { columns = 80, isTTY } = process.stderr
      const failed = done.filter(report.hasFailed)
      const [first] = failed
      // The first failure is worth reading while the others run.
      if (first !== undefined && failed.length === 1 && done.at(-1) === first) {
        const [violation] = first.violations
        process.stderr.write(
          `\n${report.titleOf(first)}\n  ✗ ${violation?.sentence}\n  Repeat this run: ${repeat(first.run)}\n\n`
        )
      }
      const took = performance.now() - startMillis
      const left = report.duration((took / done.length) * (all - done.length + 1))
      const line = `${done.length}/${all}  ${failed.length} failed  ${left} left`
      if (isTTY)
        process.stderr.write(`\r\u001b[K${`${line}  ${plan.words(run)}`.slice(0, columns - 1)}`)
      else if (done.length % 10 === 1) process.stderr.write(`${line}\n`)
    })
