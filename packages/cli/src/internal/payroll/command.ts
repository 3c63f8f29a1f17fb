/** `manilla payroll`: a durable batch of payouts from a spreadsheet. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type * as Prompt from "@effect/cli/Prompt"
import * as Identifier from "@manilla/core/Identifier"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Batch from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Engine from "@manilla/workflows/sqlite"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { exitCodes, failed, Failure, usage } from "../Failure.js"
import * as output from "../output.js"
import * as service from "../service.js"
import * as files from "./file.js"
import * as reports from "./report.js"

export const about = "Pay the rows of a spreadsheet, each of them once"

const optional = (name: string, about: string) =>
  Options.optional(Options.withDescription(Options.text(name), about))

const config = {
  file: Args.withDescription(Args.text({ name: "file" }), `CSV: ${files.columns.join(", ")}`),
  period: optional(
    "period",
    "such as 2026-11, by default from the name of the file. With the employee, it makes the key of a row"
  ),
  wallet: Options.text("wallet").pipe(
    Options.withSchema(Identifier.Uuid),
    Options.withDescription("the wallet to pay from; by default MANILLA_WALLET_ID"),
    Options.withFallbackConfig(Config.string("MANILLA_WALLET_ID"))
  ),
  state: optional(
    "state",
    "the file that remembers what was sent; by default beside the CSV file. Keep it until all is paid"
  ),
  yes: service.yes
}

const periodOf = (file: string, given: Option.Option<string>) => {
  const period = Option.getOrElse(given, () => /\d{4}-\d\d/.exec(basename(file))?.[0] ?? "")
  return /^[\w.-]{1,50}$/.test(period)
    ? Effect.succeed(period)
    : Effect.fail(usage("The file does not name its period: add --period, such as 2026-11."))
}

const previewRows = 5

const preview = (rows: ReadonlyArray<files.Row>) => {
  const header = ["line", "employee", "amount", "currency", "country", "payment_method"]
  const cells = rows
    .slice(0, previewRows)
    .map(({ item: { key, request }, line }) => [
      String(line),
      output.text(key),
      request.amount,
      request.currency,
      request.country,
      output.text(request.payment_method)
    ])
  const more = rows.length - cells.length
  return [...output.table([header, ...cells]), ...(more > 0 ? [`and ${more} more rows`] : [])]
}

const barWidth = 40

const bar = ({ ended, pending, total }: Batch.Progress): string => {
  const part = (count: number) => Math.round((count / total) * barWidth)
  const done = "█".repeat(part(ended))
  const begun = "▒".repeat(Math.max(0, part(ended + pending) - done.length))
  return `${(done + begun).padEnd(barWidth, "░")}  ${ended} of ${total} ended, ${pending} pending`
}

/** On a terminal, one line that changes. */
const showProgress = (progress: Batch.Progress) =>
  process.stderr.isTTY
    ? Effect.sync(() => process.stderr.write(`\r${bar(progress)}\u001b[K`))
    : Console.error(bar(progress))

const endLine = process.stderr.isTTY ? Console.error("") : Effect.void

const workflows = (file: string) =>
  PayoutBatch.layer().pipe(
    Layer.provide(DisbursePayout.layer()),
    Layer.provide(Layer.merge(Engine.layerSqlite({ file }), Payouts.layer)),
    // A log line of a retry would break the line of the progress.
    Layer.provide(Logger.minimumLogLevel(LogLevel.Warning))
  )

/** Sends the batch, or continues it, and returns its results when all rows have ended. */
const run = (
  rows: ReadonlyArray<files.Row>,
  batchKey: string,
  confirmed: Effect.Effect<void, Failure, Prompt.Prompt.Environment>
) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    const known = yield* Effect.option(batches.status(batchKey))
    if (Option.isNone(known)) yield* confirmed
    yield* batches.start(
      batchKey,
      Stream.map(Stream.fromIterable(rows), ({ item }) => item)
    )
    yield* Stream.runForEach(batches.progress(batchKey), showProgress)
    yield* endLine
    return Chunk.toReadonlyArray(yield* Stream.runCollect(batches.results(batchKey)))
  })

const summary = (lines: ReadonlyArray<reports.Line>): string =>
  (["paid", "not paid", "check", "open"] as const)
    .map((result) => [result, lines.filter((line) => line.result === result).length] as const)
    .filter(([result, count]) => result === "paid" || count > 0)
    .map(([result, count]) => `${count} ${result}`)
    .join(", ")

const conclude = (lines: ReadonlyArray<reports.Line>, report: string) =>
  Effect.gen(function* () {
    yield* Effect.sync(() => reports.write(report, lines))
    const others = lines.filter(({ result }) => result !== "paid")
    for (const { advice, employee, line, result } of others) {
      yield* Console.log(
        output.wrapped(
          `line ${line}, ${output.text(employee)}: `,
          `${result}. ${output.text(advice)}`
        )
      )
    }
    yield* Console.log(`${summary(lines)}. The report with each row is ${report}.`)
    if (others.length === 0) return
    const isOpen = others.some(({ result }) => result !== "not paid")
    return yield* new Failure({
      code: isOpen ? exitCodes.Open : exitCodes.Failed,
      message: `${others.length} of ${lines.length} rows are not paid, or it is not certain that they are. Each says what to do.`
    })
  })

export const command = Command.make("payroll", config, (given) =>
  Effect.gen(function* () {
    const { file, wallet, yes } = given
    const period = yield* periodOf(file, given.period)
    const rows = yield* files.read(file, period, wallet)
    const { environment } = yield* service.token
    const beside = (name: string) => join(dirname(file), name)
    const state = Option.getOrElse(given.state, () =>
      beside(`payroll-${period}.${environment.toLowerCase()}.db`)
    )
    const report = beside(`${basename(file).replace(/\.csv$/i, "")}.report.csv`)
    for (const line of preview(rows)) yield* Console.log(line)
    yield* Console.log(
      `Rows: ${rows.length}. Total: ${files.totals(rows)}. Period: ${period}. Environment: ${environment}.\nWallet: ${wallet}.`
    )
    const confirmed = yes ? Effect.void : service.ask("Pay all rows?")
    const isNew = !existsSync(state)
    if (isNew) yield* confirmed
    const again = `The same command continues, and pays nobody twice. It needs ${state}.`
    const results = yield* run(rows, `payroll:${period}`, isNew ? Effect.void : confirmed).pipe(
      Effect.provide(workflows(state)),
      Effect.onInterrupt(() => Console.error(`\nStopped. ${again}`)),
      Effect.mapError((error) => {
        if (error._tag === "Failure") return error
        return error._tag === "ItemsDiffer"
          ? failed(
              `${error.message}\nThe batch is the period: restore ${file}. Pay a new or corrected row alone, from a new file with another --period. There, any other row would be paid again.`
            )
          : new Failure({ code: exitCodes.Open, message: `${error.message}\n${again}` })
      })
    )
    yield* conclude(reports.make(rows, results), report)
  }).pipe(Effect.provide(service.live))
).pipe(Command.withDescription(about))
