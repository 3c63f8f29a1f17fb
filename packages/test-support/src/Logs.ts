/**
 * A logger in place of the default one, which keeps the messages at a level and above.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

export const make = (minimum: LogLevel.LogLevel = LogLevel.Warning) => {
  const messages: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, minimum)) messages.push(String(message))
  })
  const capture = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(minimum)
    )
  return { capture, messages }
}
