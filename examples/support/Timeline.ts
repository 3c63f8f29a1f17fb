/**
 * Prints each step with the time since the start, and the client's debug logs, such as its retries.
 */
import { Cause, Clock, Console, Context, Effect, Layer, Logger, LogLevel } from "effect"

export class Timeline extends Context.Tag("examples/support/Timeline")<
  Timeline,
  { readonly startMillis: number }
>() {}

const bold = (text: string) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text)

/** The text is beside the label, in lines that fit the terminal. */
const line = (elapsedMillis: number, label: string, text: string) => {
  const start = `${(elapsedMillis / 1000).toFixed(2).padStart(7)} s  ${label.padEnd(10)} `
  const width = Math.max(20, (process.stdout.columns ?? 100) - start.length)
  const lines = text.replace(new RegExp(`(.{1,${width}})(?:\\s+|$)`, "g"), "$1\n").trimEnd()
  return start + lines.split("\n").join(`\n${" ".repeat(start.length)}`)
}

export const title = (text: string) => Console.log(`\n${bold(text)}\n`)

export const print = (label: string, text: string) =>
  Effect.gen(function* () {
    const { startMillis } = yield* Timeline
    yield* Console.log(line((yield* Clock.currentTimeMillis) - startMillis, label, text))
  })

export const layer = Layer.unwrapEffect(
  Effect.map(Clock.currentTimeMillis, (startMillis) => {
    const logger = Logger.make(({ cause, date, message }) => {
      console.log(line(date.getTime() - startMillis, "", [message].flat().map(String).join(" ")))
      if (!Cause.isEmpty(cause)) console.error(`\n${Cause.pretty(cause)}`)
    })
    return Layer.mergeAll(
      Layer.succeed(Timeline, { startMillis }),
      Logger.replace(Logger.defaultLogger, logger),
      Logger.minimumLogLevel(LogLevel.Debug)
    )
  })
)
