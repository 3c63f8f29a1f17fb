import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { command, overview } from "./cli.js"
import { operations } from "./operations.js"
import * as output from "../../output.js"

const [, , name = "--help"] = process.argv
const operation = operations[name]
output.survive(operation !== undefined && operation.isChange !== true)

/** The parser prints help, and a handler its rows. */
const run = Effect.flatMap(Effect.console, (console) => {
  const whole = Command.transformHandler(command, Effect.withConsole(console))
  const parse = Command.run(whole, { name: "manilla-workflows", version: "0.1.0" })
  const log = (help: unknown) => console.log(output.help(help))
  return Effect.withConsole(parse(process.argv), { ...console, log })
})
const program = /^(--help|-h)$/.test(name) ? Console.log(overview) : run

program.pipe(
  Effect.tapError((error) =>
    ValidationError.isValidationError(error) ? Effect.void : Console.error(error.message)
  ),
  Effect.tapDefect((cause) => Effect.logError(cause)),
  Effect.provide(NodeContext.layer),
  Effect.provide(CliConfig.layer({ showBuiltIns: false })),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
