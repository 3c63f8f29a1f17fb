/** The whole command `manilla`. */
import * as Command from "@effect/cli/Command"
import type * as Operation from "@manilla/core/Operation"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import * as Record from "effect/Record"
import * as doctor from "./doctor.js"
import * as inputs from "./inputs.js"
import * as operations from "./operations.js"
import * as payroll from "./payroll/command.js"
import * as probe from "./probe/command.js"
import * as token from "./token.js"
import * as writes from "./writes.js"

const commandOfGroup = ({ name, operations: declared }: Operation.Group) => {
  const derived = Record.toEntries(declared).map(([operation, declaration]) =>
    operations.commandOf({ name, operations: declared }, operation, declaration)
  )
  const followed = writes.followed.filter(({ group }) => group === name).map(writes.commandOf)
  const [first, ...others] = [...followed, ...derived]
  return Command.make(inputs.kebab(name)).pipe(
    Command.withSubcommands(first === undefined ? [Command.make("none")] : [first, ...others])
  )
}

const [payments, ...others] = ServiceApi.mainGroups

export const command = Command.make("manilla").pipe(
  Command.withSubcommands([
    doctor.command,
    payroll.command,
    probe.command,
    Command.make("token").pipe(Command.withSubcommands([token.obtain])),
    commandOfGroup(payments),
    ...others.map(commandOfGroup)
  ])
)

/** Each command with a sentence about it. */
const overview: ReadonlyArray<readonly [command: string, about: string]> = [
  ["payroll FILE", payroll.about],
  ...writes.followed.map(({ about, command }) => [command, about] as const),
  ...ServiceApi.mainGroups.flatMap(({ name, operations: declared }: Operation.Group) =>
    Record.toEntries(declared).map(
      ([verb, { summary }]) => [`${inputs.kebab(name)} ${verb}`, summary] as const
    )
  ),
  ["token obtain", token.about],
  ["doctor", doctor.about],
  ["probe", probe.about]
]

const groups = new Set(["token", ...ServiceApi.mainGroups.map(({ name }) => inputs.kebab(name))])

/** The overview for `manilla`, or for a group such as `manilla payments`. Other arguments have no overview. */
export const helpFor = (args: ReadonlyArray<string>): string | undefined => {
  const [group = "", ...rest] = args.filter((arg) => arg !== "--help" && arg !== "-h")
  if (rest.length > 0 || (group !== "" && !groups.has(group))) return undefined
  const lines = overview.filter(([name]) => group === "" || name.startsWith(`${group} `))
  const width = Math.max(...lines.map(([name]) => name.length))
  return `manilla: calls, pays, watches and diagnoses the payments service

${lines.map(([name, about]) => `  manilla ${name.padEnd(width)}  ${about}`).join("\n")}

The settings are MANILLA_BASE_URL, MANILLA_AUTH_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET and
the optional MANILLA_ENVIRONMENT and MANILLA_PAGE_PARAMETER.

  manilla COMMAND --help                lists the options of a command
  manilla --completions bash|zsh|fish   prints completions for a shell
  manilla --version                     prints the version

Exit codes: 0 done; 1 not done, and nothing was applied; 2 wrong arguments or settings; 3 it was
applied, or may have been: read the message before anything is sent again; 130 interrupted.`
}
