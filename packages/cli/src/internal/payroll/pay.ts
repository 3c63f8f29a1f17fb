/** Pays a spreadsheet, and reports each row. */
import type * as Errors from "@manilla/core/Errors"
import * as Identifier from "@manilla/core/Identifier"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Engine from "@manilla/workflow-engine/sqlite"
import type * as Batch from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { usage } from "../failure.js"
import * as output from "../output.js"
import * as service from "../service.js"
import { columns } from "./columns.js"
import type { Given } from "./command.js"
import * as files from "./file.js"
import * as offered from "./offered.js"
import * as periods from "./periods.js"
import * as preview from "./preview.js"
import * as progress from "./progress.js"
import * as results from "./results.js"
import * as tables from "./table.js"
import * as language from "./words.js"

const workflows = (payouts: Payouts.Service) =>
  PayoutBatch.layer().pipe(
    Layer.provide(DisbursePayout.layer),
    Layer.provide(Layer.succeed(Payouts.Payouts, payouts))
  )

const engine = (file: string) =>
  Layer.provideMerge(PayoutBatch.layerOperator, Engine.layerSqlite({ file }))

/** A word of a shell. The name of a folder may have an apostrophe. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** A payroll whose batch is stored. */
interface Begun {
  readonly payroll: files.Payroll
  readonly rows: ReadonlyArray<files.Row>
  /** The state file. */
  readonly state: string
}

/** The present result of each row, or of those in these states. */
const linesOf = (
  { payroll: { period, words }, rows }: Begun,
  notSent: string,
  states?: ReadonlyArray<Batch.ItemResult["state"]>,
  unread?: Errors.ReadError
) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    const batchKey = periods.batchKeyOf(period)
    const items = yield* Stream.runCollect(batches.results(batchKey, states))
    const doubts = yield* batches.doubts(batchKey)
    return results.make(rows, Chunk.toReadonlyArray(items), doubts, notSent, words, unread)
  })

/** Runs the batch, and returns the result of each row when all have ended. */
const run = (begun: Begun) =>
  Effect.gen(function* () {
    const { payroll, state } = begun
    const { file, period, words } = payroll
    const batchKey = periods.batchKeyOf(period)
    const observed = progress.observed(yield* Payouts.make)
    const stop = Effect.gen(function* () {
      const lines = linesOf(begun, words.stopped, undefined, yield* observed.unread)
      const stopped = yield* Effect.option(lines)
      const text = Option.match(stopped, {
        onNone: () => words.noResults,
        onSome: (lines) => results.summary(lines, words)
      })
      yield* Console.error(output.wrapped(words.hasStopped, `${text}. ${words.again(state)}`))
      if (Option.isNone(stopped)) return
      yield* Console.error(words.report(yield* results.write(file, stopped.value, words)))
    }).pipe(Effect.catchAll(({ message }) => Console.error(message)))
    const doubtful = linesOf(begun, "", ["failed", "inDoubt", "unknown"])
    const resume = `manilla-workflows resume ${batchKey} --sqlite ${quoted(state)}`
    return yield* progress.show(batchKey, doubtful, observed, resume, words).pipe(
      Effect.provide(workflows(observed.payouts)),
      Effect.zipRight(linesOf(begun, words.interrupted)),
      Effect.mapError((error) => results.failureOfRun(error, state, payroll)),
      Effect.onInterrupt(() => stop)
    )
  })

const conclude = (lines: ReadonlyArray<results.Line>, { file, words }: files.Payroll) =>
  Effect.gen(function* () {
    for (const { label, text } of results.unpaidRows(lines, words)) {
      yield* Console.log(output.wrapped(label, text))
    }
    for (const { advice, result } of results.advices(lines)) {
      yield* Console.log(output.wrapped(words.results[result] + words.colon, advice))
    }
    yield* Console.log(`${results.summary(lines, words)}.`)
    yield* Console.log(words.report(yield* results.write(file, lines, words)))
    const failure = results.failureOf(lines, words)
    if (failure !== undefined) return yield* failure
  })

/** Writes an empty file with the columns. A row of an example could be paid. */
const writeTemplate = (file: string, words: language.Words) =>
  Effect.try({
    try: () => {
      const names = columns.map((column) => words.columns[column])
      writeFileSync(file, output.csvText([names], words.csv), { flag: "wx" })
    },
    catch: (cause) => usage(words.noTemplate(String(cause)))
  }).pipe(Effect.zipRight(Console.log(words.template(file))))

/** Checks all, asks, and stores the batch: when this ends, nothing was sent. None if only a check is wanted. */
const begin = (given: Given, words: language.Words) =>
  Effect.gen(function* () {
    const { besides, check, file, wallet, yes } = given
    const text = yield* Effect.try({
      try: () => tables.decode(readFileSync(file)),
      catch: () => usage(words.noFile(file))
    })
    const period = yield* periods.of(file, given.period, words)
    if (!Schema.is(Identifier.Uuid)(wallet)) return yield* usage(words.noWallet)
    const payroll: files.Payroll = { file, period, wallet, words }
    const table = yield* Either.mapLeft(tables.read(text, words), (problems) =>
      files.refused(payroll, problems)
    )
    const { environment } = yield* Effect.tapError(
      service.tokenIn(words.dialogue),
      // The mistakes of the file can be told without a connection.
      ({ message }) => files.read(payroll, table, offered.unread(message, words))
    )
    const folder = dirname(file)
    const state = periods.stateOf(folder, period, environment)
    const before = yield* Effect.mapError(periods.read(state, period), (error) =>
      results.failureOfRun(error, state, payroll)
    )
    // A payroll that has begun goes on, whatever has changed beside it.
    const isNew = Option.isNone(before)
    const catalogue = isNew || check ? yield* offered.read(words) : offered.notAsked
    const rows = yield* files.read(payroll, table, isNew ? catalogue : offered.notAsked)
    const others = isNew || check ? yield* periods.recent(folder, period, environment, words) : []
    const repeated = yield* periods.repeated(rows, others, words)
    const warnings = [
      ...preview.sharedPhones(rows, words),
      ...preview.foreignPhones(rows, words),
      ...catalogue.unread,
      ...offered.closed(catalogue, rows, words),
      ...repeated.map(({ text }) => text)
    ]
    const cells = rows.map(({ cells }) => cells)
    const shown = [
      ...preview.lines(rows, words),
      ...preview.readings(rows, words),
      ...periods.newcomers(rows, others, words),
      ...preview.unread(table.unread, words),
      ...warnings.map((warning) => output.wrapped(words.warning, warning)),
      words.totals(rows.length, preview.total(cells, words), period, environment),
      words.wallet(wallet)
    ]
    for (const line of shown) yield* Console.log(line)
    if (check) return yield* Effect.as(Console.log(words.checked), Option.none())
    const again = repeated.filter(({ period }) => !besides.includes(period))
    // A question of its own: `--yes` does not answer it.
    if (again.length > 0) {
      const answer = again.map(({ period }) => `--besides ${period}`).join(" ")
      yield* service.ask(words.payAgain(period), answer, words.dialogue)
    }
    const remaining = isNew ? rows.length : periods.remaining(before.value)
    if (!yes && remaining > 0) {
      yield* service.ask(words.pay(remaining, rows.length), "--yes", words.dialogue)
    }
    const begun: Begun = { payroll, rows, state }
    return yield* Effect.gen(function* () {
      const context = yield* Layer.build(engine(state))
      const batches = Context.get(context, PayoutBatch.PayoutBatch)
      const items = Stream.fromIterable(rows.map(({ item }) => item))
      yield* batches.start(periods.batchKeyOf(period), items)
      if (!isNew) {
        const lines = yield* Effect.provide(linesOf(begun, words.stopped), context)
        yield* Console.error(words.continued(results.summary(lines, words)))
      }
      return Option.some({ begun, context })
    }).pipe(Effect.mapError((error) => results.failureOfRun(error, state, payroll, isNew)))
  }).pipe(service.sayingStopped(words.dialogue))

const checkAndPay = (given: Given, words: language.Words) =>
  Effect.gen(function* () {
    const ready = yield* begin(given, words)
    if (Option.isNone(ready)) return
    const { begun, context } = ready.value
    yield* conclude(yield* Effect.provide(run(begun), context), begun.payroll)
  }).pipe(
    Effect.scoped,
    Effect.provide(service.liveIn(words.dialogue)),
    // A log line would break the line of the progress, and has no other language.
    Logger.withMinimumLogLevel(LogLevel.Error)
  )

export const pay = (given: Given) =>
  Effect.gen(function* () {
    const locale = yield* Effect.mapError(language.language, service.settingFailure)
    const words = language.of(Option.getOrElse(given.lang, () => locale))
    yield* given.template ? writeTemplate(given.file, words) : checkAndPay(given, words)
  })
