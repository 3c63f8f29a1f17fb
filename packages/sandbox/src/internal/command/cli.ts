/**
 * The command-line arguments of `manilla-sandbox`.
 */
import type { Issue } from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import type { ParseArgsConfig } from "node:util"
import * as ControlApi from "../../ControlApi.js"
import type * as SandboxServer from "../../SandboxServer.js"
import { nearest } from "../rules/nearest.js"

export type Command =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | {
      readonly _tag: "Serve"
      readonly server: SandboxServer.Options
      /** A file with initial wallets and services. */
      readonly initial: string | undefined
      /** A file that `manilla probe` wrote. */
      readonly profile: string | undefined
      /** Whether requests are not printed. */
      readonly quiet: boolean
    }

/** Ends the process: with 1 if a proof failed, with 2 if the command cannot run, and with 130 as shells do after Ctrl+C. */
export const exit = (code: 1 | 2 | 130) => Effect.sync(() => process.exit(code))

export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** Always the same, so that a team can share its configuration. They give access to sandboxes only. */
export const developmentCredentials = {
  clientId: "app_sandbox_development",
  clientSecret: "sk_sandbox_development_not_a_secret"
} as const

export const help = `manilla-sandbox: a local emulation of the payments service

Usage: manilla-sandbox [options]
       manilla-sandbox prove <file>   every fault at every request of your server: see prove --help

  --port <port>              port of {base_url} and /_sandbox, default 4010; 0 for any free port
  --auth-port <port>         port of {auth_url}, default 4011; 0 for any free port
  --host <host>              host name or address to listen on, default 127.0.0.1
  --control                  serve /_sandbox on a host that other machines can reach
  --allow-host <name>        name by which others call /_sandbox, such as "sandbox" in a container
                             network; can be repeated
  --client-id <id>           default ${developmentCredentials.clientId}
  --client-secret <secret>   default ${developmentCredentials.clientSecret}
  --settle-after <duration>  how long payments, payouts and refunds stay PENDING,
                             such as "500 millis"; default "2 seconds"
  --seed <seed>              seed of identifiers, for the same ones in every run
  --initial <file>           initial wallets and services, as YAML or JSON
  --data <file>              keep the state in this file; default in memory
  --idempotency <profile>    behaviour of idempotency keys, as the JSON of PUT /_sandbox/idempotency:
                             '{"other_body": 409, "in_flight": "wait", "failures": "replay"}'
  --profile <file>           behave like the service of this profile, which \`manilla probe\` wrote
  --lenient                  accept services that the catalogue does not list, phone numbers that are
                             none, and magic values that are not listed, with a warning
  --quiet                    do not print requests
  --version                  show the version
  --help                     show this help

Stop the sandbox with Ctrl+C.`

const port = "a whole number from 0 to 65535"

const Port = Schema.String.pipe(
  Schema.pattern(/^\d{1,5}$/, { description: port }),
  Schema.compose(Schema.NumberFromString),
  Schema.lessThanOrEqualTo(65535, { description: port })
)

export const Text = Schema.String.pipe(
  Schema.minLength(1, { description: "a text that is not empty" })
)

const HostName = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i, {
    description: `a host name without scheme and port, such as "sandbox"`
  })
)

const isDuration = (text: string): text is `${number} ${Duration.Unit}` =>
  Option.exists(Duration.decodeUnknown(text), Duration.isFinite)

export const Delay = Schema.String.pipe(
  Schema.filter(isDuration, { description: `a duration such as "500 millis" or "2 seconds"` })
)

export const defaults = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { default: () => value })

/** An option without a value. */
export const flag = defaults(Schema.Boolean, false)

const Arguments = Schema.Struct({
  port: defaults(Port, 4010),
  authPort: defaults(Port, 4011),
  host: defaults(Text, "127.0.0.1"),
  allowHost: defaults(Schema.Array(HostName), []),
  clientId: defaults(Text, developmentCredentials.clientId),
  clientSecret: defaults(Schema.Redacted(Text), Redacted.make(developmentCredentials.clientSecret)),
  settleAfter: defaults(Delay, "2 seconds"),
  seed: Schema.optional(Schema.String),
  initial: Schema.optional(Schema.String),
  profile: Schema.optional(Schema.String),
  data: Schema.optional(Text),
  idempotency: Schema.optional(Schema.parseJson(ControlApi.IdempotencyChange)),
  control: flag,
  lenient: flag,
  quiet: flag,
  version: flag,
  help: flag
})

/** The flag of a member: `auth-port` of `authPort`. */
const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const memberOf = (flag: string) =>
  flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Reads arguments, by the schema of their options. */
export const reader = <A, I>(
  schema: Schema.Schema<A, I> & { readonly fields: Readonly<Record<string, unknown>> },
  allowPositionals = false
) => {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    ...Record.mapEntries(schema.fields, (field, name) => [
      flagOf(name),
      { type: field === flag ? "boolean" : "string", multiple: name === "allowHost" }
    ]),
    help: { type: "boolean", short: "h" }
  }
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })
  const issuesOf = Issues.validator(schema, [], { onExcessProperty: "error" })
  return (args: ReadonlyArray<string>) =>
    Either.gen(function* () {
      const { positionals, values } = yield* Either.try({
        try: () => parseArgs({ args: [...args], options, allowPositionals }),
        catch: (cause) => new UsageError({ message: messageOf(cause, Object.keys(options)) })
      })
      const given = Record.mapKeys(values, memberOf)
      const decoded = yield* Either.mapLeft(decode(given), () => {
        const named = ({ field, rule }: Issue) => ({ field: `--${flagOf(field)}`, rule })
        return new UsageError({ message: Issues.print(issuesOf(given).map(named)) })
      })
      return { values: decoded, positionals }
    })
}

const read = reader(Arguments)

export const parse = (args: ReadonlyArray<string>): Either.Either<Command, UsageError> =>
  Either.map(read(args), ({ values }) => {
    const { allowHost, control, help, initial, profile, quiet, seed, version, ...server } = values
    if (help) return { _tag: "Help" }
    if (version) return { _tag: "Version" }
    const options = {
      ...server,
      // Without it, the host decides.
      ...(control && { control }),
      allowHosts: allowHost,
      seed: seed === undefined ? undefined : seedOf(seed)
    }
    return { _tag: "Serve", server: options, initial, profile, quiet }
  })

/** One line. For an unknown option it names the one that was probably meant. */
const messageOf = (cause: unknown, options: ReadonlyArray<string>): string => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const [, dashes = "", unknown] = /^Unknown option '(-+)([^']*)'/.exec(message) ?? []
  if (unknown === undefined) return message
  const meant = nearest(unknown, options)
  const hint = meant === undefined ? "--help lists all." : `Did you mean --${meant}?`
  return `There is no option ${dashes}${unknown}. ${hint}`
}

/** A whole number is the same seed here and in the JSON of a control call. */
const seedOf = (text: string): string | number => (/^\d{1,15}$/.test(text) ? Number(text) : text)
