/** The progress of a payroll: a bar, and a line for each answer to rows in doubt. */
import type * as Batch from "@manilla/workflows/Batch"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as doubts from "./doubts.js"

const barWidth = 40

const bar = ({ ended, pending, phase, total }: Batch.Progress, resume: string): string => {
  const done = "█".repeat(Math.round((ended / total) * barWidth))
  const paused = phase === "paused" ? `, paused until \`${resume}\`` : ""
  return `${done.padEnd(barWidth, "░")}  ${ended} of ${total} ended, ${pending} pending${paused}`
}

/** Prints lines: on a terminal in place of the last ones, and elsewhere those whose subject is new. */
const printer = () => {
  const { columns = 100, isTTY } = process.stderr
  let subjects: ReadonlyArray<string> = []
  return {
    print: (lines: ReadonlyArray<doubts.Line>) =>
      Effect.suspend(() => {
        const before = subjects
        subjects = lines.map(({ subject }) => subject)
        if (!isTTY) {
          const news = lines.filter(({ subject }) => !before.includes(subject))
          return Effect.forEach(news, ({ text }) => Console.error(text), { discard: true })
        }
        const [first = "", ...others] = lines.map(({ text }) => `${text}\u001b[K`)
        const below = others.map((line) => `\n${line.slice(0, columns)}`).join("")
        const up = others.length > 0 ? `\u001b[${others.length}A` : ""
        return Effect.sync(() => process.stderr.write(`\r${first}\u001b[J${below}${up}`))
      }),
    /** Leaves the lines as they are. */
    end: Effect.suspend(() =>
      isTTY ? Console.error("\n".repeat(subjects.length - 1)) : Effect.void
    )
  }
}

/** Shows the progress of a batch to its end. */
export const show = (batchKey: string, resume: string) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    const { end, print } = printer()
    const now = Effect.gen(function* () {
      const progress = yield* batches.status(batchKey)
      const subject = bar(progress, resume)
      const inDoubt = progress.creating > 0 ? yield* batches.doubts(batchKey) : []
      const lines = doubts.lines(inDoubt, yield* Clock.currentTimeMillis)
      yield* print([{ subject, text: subject }, ...lines])
      return progress
    })
    yield* Stream.repeatEffectWithSchedule(now, Schedule.spaced("500 millis")).pipe(
      Stream.takeUntil(({ phase }) => phase === "ended"),
      Stream.runDrain,
      Effect.ensuring(end)
    )
  })
