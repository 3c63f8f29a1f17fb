/** Pays a spreadsheet, and reports each row. */
import * as Identifier from "@manilla/core/Identifier"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Engine from "@manilla/workflow-engine/sqlite"
import type * as Batch from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Chunk from "effect/Chunk"
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

/** Sends the batch, or continues it, and returns the result of each row when all have ended. */
const run = (payroll: files.Payroll, rows: ReadonlyArray<files.Row>, state: string) =>
  Effect.gen(function* () {
    const { file, period, words } = payroll
    const batchKey = periods.batchKeyOf(period)
    const batches = yield* PayoutBatch.PayoutBatch
    const lines = (notSent: string, states?: ReadonlyArray<Batch.ItemResult["state"]>) =>
      Effect.zipWith(
        Stream.runCollect(batches.results(batchKey, states)),
        batches.doubts(batchKey),
        (items, doubts) => results.make(rows, Chunk.toReadonlyArray(items), doubts, notSent, words)
      )
    const doubtful = lines("", ["failed", "inDoubt", "unknown"])
    const resume = `manilla-workflows resume ${batchKey} --sqlite ${quoted(state)}`
    const stop = Effect.gen(function* () {
      const stopped = yield* Effect.option(lines(words.stopped))
      const text = Option.match(stopped, {
        onNone: () => words.noResults,
        onSome: (lines) => results.summary(lines, words)
      })
      yield* Console.error(output.wrapped(words.hasStopped, `${text}. ${words.again(state)}`))
      if (Option.isNone(stopped)) return
      yield* Console.error(words.report(yield* results.write(file, stopped.value, words)))
    }).pipe(Effect.catchAll(({ message }) => Console.error(message)))
    return yield* Effect.gen(function* () {
      const before = yield* Effect.option(lines(words.stopped))
      const items = Stream.fromIterable(rows.map(({ item }) => item))
      // No workflow runs yet, so that nothing is sent if this refuses other rows.
      yield* batches.start(batchKey, items)
      if (Option.isSome(before)) {
        yield* Console.error(words.continued(results.summary(before.value, words)))
      }
      const { payouts, refusal } = progress.observed(yield* Payouts.make)
      const shown = progress.show(batchKey, doubtful, refusal, resume, words)
      yield* Effect.provide(shown, workflows(payouts))
      return yield* lines(words.interrupted)
    }).pipe(Effect.onInterrupt(() => stop))
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

/** A question of its own for rows that another period pays too: `--yes` does not answer it. */
const askBesides = (
  repeated: ReadonlyArray<periods.Repeated>,
  period: string,
  besides: ReadonlyArray<string>,
  words: language.Words
) => {
  const others = repeated.filter(({ period }) => !besides.includes(period))
  const answer = others.map(({ period }) => `--besides ${period}`).join(" ")
  return others.length === 0
    ? Effect.void
    : service.ask(words.payAgain(period), answer, words.dialogue)
}

/** Writes an empty file with the columns. A row of an example could be paid. */
const writeTemplate = (file: string, words: language.Words) =>
  Effect.try({
    try: () => {
      const names = columns.map((column) => words.columns[column])
      writeFileSync(file, output.csvText([names], words.csv), { flag: "wx" })
    },
    catch: (cause) => usage(words.noTemplate(String(cause)))
  }).pipe(Effect.zipRight(Console.log(words.template(file))))

interface Given {
  readonly file: string
  readonly period: Option.Option<string>
  readonly wallet: string
  readonly besides: ReadonlyArray<string>
  readonly check: boolean
  readonly template: boolean
  readonly yes: boolean
  readonly lang: Option.Option<language.Language>
}

const checkAndPay = (given: Given, words: language.Words) =>
  Effect.gen(function* () {
    const { besides, check, file, wallet, yes } = given
    const text = yield* Effect.try({
      try: () => tables.decode(readFileSync(file)),
      catch: () => usage(words.noFile(file))
    })
    const period = yield* periods.of(file, given.period, words)
    if (!Schema.is(Identifier.Uuid)(wallet)) {
      return yield* usage(words.noWallet)
    }
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
    const known = isNew ? catalogue : offered.notAsked
    const rows = yield* files.read(payroll, table, known)
    const others = isNew || check ? yield* periods.recent(folder, period, environment, words) : []
    const repeated = yield* periods.repeated(rows, others, words)
    for (const line of preview.lines(rows, words)) yield* Console.log(line)
    for (const reading of preview.readings(rows, words)) yield* Console.log(reading)
    for (const newcomer of periods.newcomers(rows, others, words)) yield* Console.log(newcomer)
    if (table.unread.length > 0) {
      yield* Console.log(output.text(words.unread(language.listed(table.unread, words))))
    }
    for (const warning of [
      ...preview.sharedPhones(rows, words),
      ...preview.foreignPhones(rows, words),
      ...catalogue.unread,
      ...offered.closed(catalogue, rows, words),
      ...repeated.map(({ text }) => text)
    ]) {
      yield* Console.log(output.wrapped(words.warning, warning))
    }
    const cells = rows.map(({ cells }) => cells)
    const totals = words.totals(rows.length, preview.total(cells, words), period, environment)
    yield* Console.log(`${totals}\n${words.wallet(wallet)}`)
    if (check) return yield* Console.log(words.checked)
    yield* askBesides(repeated, period, besides, words)
    const remaining = Option.match(before, {
      onNone: () => rows.length,
      onSome: periods.remaining
    })
    if (!yes && remaining > 0) {
      yield* service.ask(words.pay(remaining, rows.length), "--yes", words.dialogue)
    }
    const lines = yield* run(payroll, rows, state).pipe(
      Effect.provide(engine(state)),
      Effect.mapError((error) => results.failureOfRun(error, state, payroll))
    )
    yield* conclude(lines, payroll)
  }).pipe(
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
