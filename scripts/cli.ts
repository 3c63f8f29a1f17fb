// The commands of `npm run`, read by @effect/cli: `--help` lists what each takes.
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

/** A count with a default. */
export const count = (name: string, byDefault: number, description: string) =>
  Options.integer(name).pipe(
    Options.withSchema(Schema.NonNegative),
    Options.withDescription(description),
    Options.withDefault(byDefault)
  )

/** Whether something is wanted: each if the option is not given. */
export const only = <A extends string>(name: string, all: ReadonlyArray<A>) =>
  Options.choice(name, all).pipe(
    Options.withDescription(`only this ${name}`),
    Options.atLeast(0),
    Options.map((wanted) => (one: A) => wanted.length === 0 || wanted.includes(one))
  )

/** Whether no option is given. */
export const isWhole = process.argv.length <= 2

/** Runs the command that the arguments of this process ask for. */
export const runCommand = <Name extends string, E, A>(
  command: Command.Command<Name, NodeContext.NodeContext, E, A>
): void =>
  Command.run(command, { name: "Manilla", version: "" })(process.argv).pipe(
    // The reader has said what is wrong.
    Effect.catchIf(ValidationError.isValidationError, () =>
      Effect.sync(() => void (process.exitCode = 2))
    ),
    Effect.provide(NodeContext.layer),
    Effect.provide(CliConfig.layer({ showBuiltIns: false })),
    NodeRuntime.runMain
  )
