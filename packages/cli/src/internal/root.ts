/** The whole command `manilla`. */
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Usage from "@effect/cli/Usage"
import * as Arr from "effect/Array"
import * as doctor from "./doctor/command.js"
import { nearest } from "./nearest.js"
import * as operations from "./operations.js"
import * as payroll from "./payroll/command.js"
import * as probe from "./probe/command.js"
import * as token from "./token.js"

/** Each command with its name, such as `payments get`, and a sentence about it. */
const entries = Arr.make(
  { name: "payroll", isRead: false, ...payroll },
  ...operations.commands,
  { name: "token obtain", isRead: true, ...token },
  { name: "doctor", isRead: true, ...doctor },
  { name: "probe", isRead: false, ...probe }
)

type Entry = (typeof entries)[number]

const groups = Arr.groupWith(entries, (a, b) => a.name.split(" ")[0] === b.name.split(" ")[0])

const commandOf = (entries: Arr.NonEmptyArray<Entry>) => {
  const [{ command, name }] = entries
  const commands = Arr.map(entries, ({ command }) => command)
  const [group = "", verb] = name.split(" ")
  return verb === undefined ? command : Command.withSubcommands(Command.make(group), commands)
}

export const command = Command.withSubcommands(Command.make("manilla"), Arr.map(groups, commandOf))

/** The overview for `manilla`, or for a group such as `manilla payments`. Other arguments have no overview. */
export const helpFor = (args: ReadonlyArray<string>): string | undefined => {
  const [group = "", ...rest] = args.filter((arg) => arg !== "--help" && arg !== "-h")
  const listed = entries.filter(({ name }) => group === "" || name.startsWith(`${group} `))
  if (rest.length > 0 || listed.length === 0) return undefined
  const width = Math.max(...listed.map(({ name }) => name.length))
  const lines = listed.map(({ about, name }) => `  manilla ${name.padEnd(width)}  ${about}`)
  return `manilla: calls, pays, watches and diagnoses the payments service

${lines.join("\n")}

The settings are MANILLA_BASE_URL, MANILLA_AUTH_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET and
the optional MANILLA_ENVIRONMENT and MANILLA_PAGE_PARAMETER. \`manilla doctor\` checks them.
HTTPS_PROXY names a proxy, and NO_PROXY the hosts that are reached without it.

  manilla payments create --help        lists the options of a command
  manilla --completions bash|zsh|fish   prints completions for a shell
  manilla --version                     prints the version

Exit codes: 0 done; 1 not done, and nothing was applied; 2 wrong arguments or settings; 3 it was
applied, or may have been: read the message before anything is sent again; 130 interrupted.`
}

const question = (meant: string | undefined) =>
  meant === undefined ? "" : ` Did you mean ${meant}?`

/** The command that the arguments name. */
export const entryOf = (args: ReadonlyArray<string>): Entry | undefined =>
  entries.find(({ name }) => `${args.join(" ")} `.startsWith(`${name} `))

/** The error of wrong arguments in one line, with what may be meant. */
export const explained = (args: ReadonlyArray<string>, error: string): string => {
  const entry = entryOf(args)
  if (entry === undefined) {
    const names = entries.map(({ name }) => name)
    const [first = "", second = ""] = args
    const meant = question(nearest(`${first} ${second}`, names) ?? nearest(first, names))
    return `There is no such command.${meant} \`manilla\` lists all commands.`
  }
  const usage = Usage.getHelp(CommandDescriptor.getUsage<unknown>(entry.command.descriptor))
  const options: ReadonlyArray<string> = HelpDoc.toAnsiText(usage).match(/--[\w-]+/g) ?? []
  const unknown = args
    .map((arg) => arg.replace(/=.*/s, ""))
    .find((name) => /^--\w/.test(name) && !options.includes(name))
  const bare = options.map((option) => option.slice(2))
  const found = unknown && nearest(unknown.slice(2), bare)
  // The parser says of an unknown option only that others are missing.
  const problem = unknown === undefined ? error : `There is no option ${unknown}`
  return `${problem}.${question(found && `--${found}`)} \`manilla ${entry.name} --help\` lists the options.`
}
