/** The progress of a payroll: a bar, and a line for each response to rows in doubt. */
import * as Errors from "@manilla/core/Errors"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Engine from "@manilla/workflow-engine/Engine"
import type * as Batch from "@manilla/workflows/Batch"
import * as Doubt from "@manilla/workflows/Doubt"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as output from "../output.js"
import * as results from "./results.js"
import type { Words } from "./words.js"

const barWidth = 40

const bar = (
  { ended, pending, phase, total }: Batch.Progress,
  resume: string,
  words: Words
): string => {
  const done = "█".repeat(Math.round((ended / total) * barWidth))
  const paused = phase === "paused" ? words.paused(resume) : ""
  return `${done.padEnd(barWidth, "░")}  ${words.bar(ended, total, pending)}${paused}`
}

/** A line, and its subject: the text without a time, which changes all the time. */
interface Line {
  readonly subject: string
  readonly text: string
}

const fixed = (text: string): Line => ({ subject: text, text })

/** Prints lines: on a terminal in place of the last ones, and elsewhere those whose subject is new. */
const printer = () => {
  const { columns = 100, isTTY } = process.stderr
  let subjects: ReadonlyArray<string> = []
  let below = 0
  return {
    print: (lines: ReadonlyArray<Line>) =>
      Effect.suspend(() => {
        const before = subjects
        subjects = lines.map(({ subject }) => subject)
        if (!isTTY) {
          const news = lines.filter(({ subject }) => !before.includes(subject))
          return Effect.forEach(news, ({ text }) => Console.error(text), { discard: true })
        }
        // A line that the terminal breaks would count as one.
        const shown = lines.flatMap(({ text }) => output.wrapped("", text, columns - 1).split("\n"))
        below = shown.length - 1
        const up = below > 0 ? `\u001b[${below}A` : ""
        return Effect.sync(() => process.stderr.write(`\r\u001b[J${shown.join("\n")}${up}`))
      }),
    /** Leaves the lines as they are. */
    end: Effect.suspend(() => (isTTY ? Console.error("\n".repeat(below)) : Effect.void))
  }
}

/** Another process may be busy with the file for a moment. */
const looks = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(4))

/** One read of many may fail. The status of all is unknown after some time without a good one. */
const unreadMillis = 3_000

/**
 * Payouts, the error of the last request of a row that waits to be sent again, and the error of reads: each of them is
 * undefined once another one ends in another way.
 */
export const observed = (payouts: Payouts.Service) => {
  let last: Errors.KeyedWriteError | undefined
  const note = (error?: Errors.KeyedWriteError) =>
    Effect.sync(() => {
      const isWaiting =
        error !== undefined &&
        Errors.outcome(error) === "notApplied" &&
        Doubt.isWorthRepeating(error)
      last = isWaiting ? error : undefined
    })
  const create: Payouts.Service["create"] = (request, options) =>
    Effect.tapBoth(payouts.create(request, options), { onFailure: note, onSuccess: () => note() })
  let failing: { readonly error: Errors.ReadError; readonly sinceMillis: number } | undefined
  const get: Payouts.Service["get"] = (reference, options) =>
    Effect.tapBoth(payouts.get(reference, options), {
      onFailure: (error) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          failing = { error, sinceMillis: failing?.sinceMillis ?? now }
        }),
      onSuccess: () => Effect.sync(() => (failing = undefined))
    })
  const unread = Effect.map(Clock.currentTimeMillis, (now) =>
    failing !== undefined && now - failing.sinceMillis >= unreadMillis ? failing.error : undefined
  )
  return { payouts: Payouts.fromCalls({ create, get }), refusal: () => last, unread }
}

/** Shows the progress of a batch to its end. `doubtful` has the lines of the rows that failed, or are in doubt. */
export const show = <E>(
  batchKey: string,
  doubtful: Effect.Effect<ReadonlyArray<results.Line>, E, PayoutBatch.PayoutBatch>,
  { refusal, unread }: Pick<ReturnType<typeof observed>, "refusal" | "unread">,
  resume: string,
  words: Words
) =>
  Effect.gen(function* () {
    const { isHealthy } = yield* Engine.Engine
    const batches = yield* PayoutBatch.PayoutBatch
    const isStored = isHealthy.pipe(
      Effect.filterOrFail((is) => is),
      Effect.retry(looks),
      Effect.isSuccess
    )
    let seen = ""
    let ofOthers: ReadonlyArray<Line> = []
    const { end, print } = printer()
    const now = Effect.gen(function* () {
      const progress = yield* batches.status(batchKey)
      const subject = bar(progress, resume, words)
      const inDoubt = progress.creating > 0 ? yield* batches.doubts(batchKey) : []
      const lines = results.doubts(inDoubt, yield* Clock.currentTimeMillis, words)
      const state = `${progress.ended} ${lines.map(({ subject }) => subject).join()}`
      if (state !== seen) {
        const all = (yield* doubtful).filter(({ isOfOther }) => isOfOther)
        ofOthers = results.unpaidRows(all, words).map(({ label, text }) => fixed(label + text))
        seen = state
      }
      const unsent = refusal()
      const ofReads = progress.pending === 0 ? undefined : yield* unread
      const warnings = [
        ...((yield* isStored) ? [] : [words.notStored]),
        ...(unsent === undefined ? [] : [words.unsent(results.responseOf(unsent, words))]),
        ...(ofReads === undefined ? [] : [words.statusUnread(results.responseOf(ofReads, words))])
      ].map(fixed)
      yield* print([fixed(subject), ...warnings, ...lines, ...ofOthers])
      return progress
    })
    yield* Stream.repeatEffectWithSchedule(now, Schedule.spaced("500 millis")).pipe(
      Stream.takeUntil(({ phase }) => phase === "ended"),
      Stream.runDrain,
      Effect.ensuring(end)
    )
  })
