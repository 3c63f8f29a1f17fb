import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import type * as CliApp from "@effect/cli/CliApp"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { stripVTControlCharacters } from "node:util"
import { exitCodes } from "./Failure.js"
import { command, helpFor } from "./root.js"

/** The clients log what they retry. Standard output has the result only. */
const logger = Logger.withConsoleError(
  Logger.make(
    ({ date, message }) =>
      `${date.toLocaleTimeString("sv-SE")}  ${[message].flat().map(String).join(" ")}`
  )
)

/** Help for a program, such as `less`, has no colours. */
const withoutColours = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.console, (console) =>
    Effect.withConsole(self, {
      ...console,
      log: (...args) => console.log(...args.map((arg) => stripVTControlCharacters(String(arg))))
    })
  )

const run = Command.run(command, { name: "manilla", version: "0.1.0" })

/** Runs the command, and gives its exit code. */
export const main = (
  args: ReadonlyArray<string>
): Effect.Effect<number, never, CliApp.CliApp.Environment> => {
  const help = helpFor(args)
  const program = help === undefined ? run(["node", "manilla", ...args]) : Console.log(help)
  return program.pipe(
    Effect.as<number>(exitCodes.Done),
    Effect.catchAll((error) =>
      error._tag === "Failure"
        ? Effect.as(Console.error(error.message), error.code)
        : // The parser has printed the error of the arguments.
          Effect.succeed(exitCodes.Usage)
    ),
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError(Cause.pretty(Cause.die(defect))), exitCodes.Open)
    ),
    process.stdout.isTTY ? (self) => self : withoutColours,
    Effect.provide(CliConfig.layer({ showBuiltIns: false })),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}
