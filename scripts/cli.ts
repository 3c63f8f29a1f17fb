// The commands of `npm run`, read by @effect/cli: `--help` lists what each takes.
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

/** An integer from 1 with a default. */
export const positive = (name: string, byDefault: number, description: string) =>
  Options.integer(name).pipe(
    Options.withSchema(Schema.Positive),
    Options.withDescription(`${description}, by default ${byDefault}`),
    Options.withDefault(byDefault)
  )

/** Runs the command that the arguments of this process ask for. */
export const runCommand = <Name extends string, E, A>(
  command: Command.Command<Name, NodeContext.NodeContext, E, A>
): void =>
  Command.run(command, { name: "Manilla", version: "" })(process.argv).pipe(
    Effect.provide(NodeContext.layer),
    Effect.provide(CliConfig.layer({ showBuiltIns: false })),
    NodeRuntime.runMain
  )
