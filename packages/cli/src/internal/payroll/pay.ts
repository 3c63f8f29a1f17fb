/** Pays a spreadsheet, and reports each row. */
import * as Identifier from "@manilla/core/Identifier"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Engine from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Chunk from "effect/Chunk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { usage } from "../Failure.js"
import * as output from "../output.js"
import * as service from "../service.js"
import { columns } from "./columns.js"
import * as ends from "./ends.js"
import * as files from "./file.js"
import * as offered from "./offered.js"
import * as periods from "./periods.js"
import * as preview from "./preview.js"
import * as progress from "./progress.js"
import * as reports from "./report.js"
import * as twins from "./twins.js"

const workflows = PayoutBatch.layer().pipe(
  Layer.provide(DisbursePayout.layer),
  Layer.provide(Payouts.layer)
)

const engine = (file: string) =>
  Layer.provideMerge(PayoutBatch.layerOperator, Engine.layerSqlite({ file }))

/** Sends the batch, or continues it, and returns the result of each row when all have ended. */
const run = (
  rows: ReadonlyArray<files.Row>,
  batchKey: string,
  state: string,
  again: string,
  report: string
) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    const lines = (notSent: string) =>
      Effect.zipWith(
        Stream.runCollect(batches.results(batchKey)),
        batches.doubts(batchKey),
        (items, doubts) => reports.make(rows, Chunk.toReadonlyArray(items), doubts, notSent)
      )
    const resume = `manilla-workflows resume ${batchKey} --sqlite '${state}'`
    const stop = Effect.gen(function* () {
      const stopped = yield* Effect.option(lines(reports.stopped))
      const text = Option.match(stopped, {
        onNone: () => "the results cannot be read now",
        onSome: reports.summary
      })
      yield* Console.error(output.wrapped("Stopped: ", `${text}. ${again}`))
      if (Option.isNone(stopped)) return
      yield* reports.write(report, stopped.value)
      yield* Console.error(`The report with each row is ${report}.`)
    }).pipe(Effect.catchAll(({ message }) => Console.error(message)))
    return yield* Effect.gen(function* () {
      const before = yield* Effect.option(lines(reports.stopped))
      const items = Stream.fromIterable(rows.map(({ item }) => item))
      // No workflow runs yet, so that nothing is sent if this refuses other rows.
      yield* batches.start(batchKey, items)
      if (Option.isSome(before)) {
        yield* Console.error(`Continued: ${reports.summary(before.value)} until now.`)
      }
      yield* Effect.provide(progress.show(rows, batchKey, resume), workflows)
      return yield* lines(reports.interrupted)
    }).pipe(Effect.onInterrupt(() => stop))
  })

const conclude = (lines: ReadonlyArray<reports.Line>, report: string) =>
  Effect.gen(function* () {
    const others = lines.filter(({ result }) => result !== "paid")
    for (const { amount, currency, employee, line, reason, result } of others) {
      const label = `line ${line}, ${output.text(employee)}, ${output.money(amount)} ${currency}: `
      yield* Console.log(output.wrapped(label, output.text(`${result}. ${reason}`.trim())))
    }
    for (const { advice, result } of reports.advices(lines)) {
      yield* Console.log(output.wrapped(`${result}: `, advice))
    }
    yield* Console.log(`${reports.summary(lines)}.`)
    yield* reports.write(report, lines)
    yield* Console.log(`The report with each row is ${report}.`)
    const failure = ends.ofLines(lines)
    if (failure !== undefined) return yield* failure
  })

/** A question of its own for rows that another period pays too: `--yes` does not answer it. */
const askBesides = (
  repeated: ReadonlyArray<periods.Repeated>,
  period: string,
  besides: ReadonlyArray<string>
) => {
  const others = repeated.filter(({ period }) => !besides.includes(period))
  const answer = others.map(({ period }) => `--besides ${period}`).join(" ")
  return others.length === 0
    ? Effect.void
    : service.ask(`Pay them again, for the period ${period}?`, answer)
}

/** Writes an empty file with the columns. A row of an example could be paid. */
const writeTemplate = (file: string) =>
  Effect.try({
    try: () => writeFileSync(file, `${columns.join(",")}\n`, { flag: "wx" }),
    catch: (cause) => usage(`The template cannot be written: ${String(cause)}`)
  }).pipe(
    Effect.zipRight(
      Console.log(
        `${file} has the columns. Add a row for each employee, such as E001,150000,XOF,BJ,mtn_momo,+2290100000000.`
      )
    )
  )

interface Given {
  readonly file: string
  readonly period: Option.Option<string>
  readonly wallet: string
  readonly besides: ReadonlyArray<string>
  readonly check: boolean
  readonly template: boolean
  readonly yes: boolean
}

const checkAndPay = (given: Given) =>
  Effect.gen(function* () {
    const { besides, check, file, wallet, yes } = given
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: () => usage(`${file} cannot be read. Check its name, or write it with --template.`)
    })
    const period = yield* periods.of(file, given.period)
    if (!Schema.is(Identifier.Uuid)(wallet)) {
      return yield* usage("--wallet or MANILLA_WALLET_ID must be the id of a wallet, a UUID.")
    }
    const rows = yield* files.read(file, text, period, wallet)
    const { environment } = yield* service.token
    const folder = dirname(file)
    const state = periods.stateOf(folder, period, environment)
    const again = `The same command continues, and pays nobody twice. It needs ${state}.`
    const before = yield* Effect.mapError(periods.read(state, period), (error) =>
      ends.ofRun(error, file, again)
    )
    // A payroll that has begun goes on, whatever has changed beside it.
    const isNew = Option.isNone(before)
    const others = isNew || check ? yield* periods.recent(folder, period, environment) : []
    const repeated = yield* periods.repeated(rows, others)
    const { problems, warnings } = isNew || check ? yield* offered.check(rows) : offered.nothing
    if (isNew && problems.length > 0) return yield* files.refused(file, problems)
    for (const line of preview.lines(rows)) yield* Console.log(line)
    for (const reading of files.readings(rows)) yield* Console.log(reading)
    for (const newcomer of periods.newcomers(rows, others)) yield* Console.log(newcomer)
    for (const warning of [
      ...twins.warnings(rows),
      ...problems,
      ...warnings,
      ...repeated.map((other) => periods.text(rows.length, other))
    ]) {
      yield* Console.log(output.wrapped("Warning: ", warning))
    }
    yield* Console.log(
      `Rows: ${rows.length}. Total: ${preview.total(rows)}. Period: ${period}. Environment: ${environment}.\nWallet: ${wallet}. The service does not tell its balance: compare it with the total.`
    )
    if (check) return yield* Console.log("Checked. This command sent nothing.")
    yield* askBesides(repeated, period, besides)
    const remaining = Option.match(before, {
      onNone: () => rows.length,
      onSome: periods.remaining
    })
    if (!yes && remaining > 0) {
      yield* service.ask(`Pay the rows that are not paid yet, ${remaining} of ${rows.length}?`)
    }
    const report = file.replace(/(\.csv)?$/i, ".report.csv")
    const lines = yield* run(rows, periods.batchKeyOf(period), state, again, report).pipe(
      Effect.provide(engine(state)),
      // A log line would break the line of the progress. The report says what became of each row.
      Logger.withMinimumLogLevel(LogLevel.Error),
      Effect.mapError((error) => ends.ofRun(error, file, again))
    )
    yield* conclude(lines, report)
  }).pipe(Effect.provide(service.live))

export const pay = (given: Given) =>
  given.template ? writeTemplate(given.file) : checkAndPay(given)
