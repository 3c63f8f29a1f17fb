import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as output from "@manilla/workflows/output"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { exitCodes, usage } from "./failure.js"
import { command, entryOf, explained, helpFor } from "./root.js"

/** The clients log what they retry. Standard output has the result only. */
const logger = Logger.withConsoleError(
  Logger.make(
    ({ date, message }) =>
      `${date.toLocaleTimeString("sv-SE")}  ${[message].flat().map(String).join(" ")}`
  )
)

/** Runs a command. The parser prints help, which is made plain, and errors, which `explained` replaces. */
const run = (args: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.console, (console) => {
    const whole = Command.transformHandler(command, Effect.withConsole(console))
    const parse = Command.run(whole, { name: "manilla", version: "0.1.0" })
    const name = `manilla ${entryOf(args)?.name}`
    const log = (help: unknown) => console.log(output.help(help).replace(/^manilla \S+/, name))
    const quiet = { ...console, log, error: () => Effect.void }
    return Effect.withConsole(parse(["node", "manilla", ...args]), quiet)
  }).pipe(
    Effect.mapError((error) => {
      if (error._tag === "Failure") return error
      const said = output.help(HelpDoc.toAnsiText(error.error))
      return usage(explained(args, said.replace(/\s*\n\s*(Expected to find option: )?/g, ", ")))
    })
  )

/** Runs the command, and gives its exit code. */
export const main = (args: ReadonlyArray<string>) => {
  const help = helpFor(args)
  return (help === undefined ? run(args) : Console.log(help)).pipe(
    Effect.as<number>(exitCodes.Done),
    Effect.catchAll(({ code, message }) => Effect.as(Console.error(message), code)),
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError(Cause.pretty(Cause.die(defect))), exitCodes.Open)
    ),
    Effect.provide(CliConfig.layer({ showBuiltIns: false })),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}
