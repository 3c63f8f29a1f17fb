/**
 * The command-line arguments of `manilla-sandbox`.
 */
import * as Issues from "@manilla/core/Issues"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import * as ControlApi from "../../ControlApi.js"
import type * as SandboxServer from "../../SandboxServer.js"

export type Command =
  | { readonly _tag: "Help" }
  | {
      readonly _tag: "Serve"
      readonly server: SandboxServer.Options
      /** A file with initial wallets and services. */
      readonly initial: string | undefined
      /** Whether requests are not printed. */
      readonly quiet: boolean
    }

export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** Always the same, so that a team can share its configuration. They give access to sandboxes only. */
export const developmentCredentials = {
  clientId: "app_sandbox_development",
  clientSecret: "sk_sandbox_development_not_a_secret"
} as const

export const help = `manilla-sandbox: a local emulation of the payments service

Usage: manilla-sandbox [options]

  --port <port>              port of {base_url} and /_sandbox, default 4010; 0 for any free port
  --auth-port <port>         port of {auth_url}, default 4011; 0 for any free port
  --control-port <port>      port of /_sandbox alone, which --port then does not serve
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
  --idempotency <profile>    behaviour of idempotency keys, such as
                             "other-body=409,in-flight=wait,failures=replay,retention=1 day":
                             other-body: 422 (default), 409 or replay;
                             in-flight: replay (default), 409 or wait;
                             failures: again (default) or replay; retention: for ever by default
  --strict                   refuse magic phone numbers and amounts that are not listed
  --quiet                    do not print requests
  --help                     show this help

Stop the sandbox with Ctrl+C.`

export const parse = (args: ReadonlyArray<string>): Either.Either<Command, UsageError> =>
  Either.gen(function* () {
    const { values } = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...args],
          options: {
            port: { type: "string", default: "4010" },
            "auth-port": { type: "string", default: "4011" },
            "control-port": { type: "string" },
            host: { type: "string", default: "127.0.0.1" },
            control: { type: "boolean" },
            "allow-host": { type: "string", multiple: true, default: [] },
            "client-id": { type: "string", default: developmentCredentials.clientId },
            "client-secret": { type: "string", default: developmentCredentials.clientSecret },
            "settle-after": { type: "string", default: "2 seconds" },
            seed: { type: "string" },
            initial: { type: "string" },
            data: { type: "string" },
            idempotency: { type: "string" },
            strict: { type: "boolean", default: false },
            quiet: { type: "boolean", default: false },
            help: { type: "boolean", short: "h" }
          }
        }),
      catch: (cause) =>
        new UsageError({ message: cause instanceof Error ? cause.message : String(cause) })
    })
    if (values.help === true) return { _tag: "Help" }
    const port = yield* parsePort("--port", values.port)
    const authPort = yield* parsePort("--auth-port", values["auth-port"])
    const controlPort =
      values["control-port"] === undefined
        ? undefined
        : yield* parsePort("--control-port", values["control-port"])
    const fixed = [port, authPort, controlPort ?? 0].filter((one) => one !== 0)
    if (new Set(fixed).size < fixed.length) {
      yield* wrong("--port, --auth-port and --control-port must differ")
    }
    return {
      _tag: "Serve",
      server: {
        port,
        authPort,
        controlPort,
        host: yield* parseText("--host", values.host),
        control: values.control,
        allowHosts: yield* Either.all(values["allow-host"].map(parseHostName)),
        clientId: yield* parseText("--client-id", values["client-id"]),
        clientSecret: Redacted.make(yield* parseText("--client-secret", values["client-secret"])),
        settleAfter: yield* parseDuration("--settle-after", values["settle-after"]),
        data: values.data === undefined ? undefined : yield* parseText("--data", values.data),
        idempotency:
          values.idempotency === undefined ? undefined : yield* parseProfile(values.idempotency),
        strict: values.strict,
        seed: values.seed === undefined ? undefined : parseSeed(values.seed)
      },
      initial: values.initial,
      quiet: values.quiet
    }
  })

const wrong = (message: string) => Either.left(new UsageError({ message }))

const parsePort = (flag: string, text: string): Either.Either<number, UsageError> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Either.right(Number(text))
    : wrong(`${flag} must be a whole number from 0 to 65535, not "${text}"`)

const parseText = (flag: string, text: string): Either.Either<string, UsageError> =>
  text === "" ? wrong(`${flag} must not be empty`) : Either.right(text)

const parseHostName = (text: string): Either.Either<string, UsageError> =>
  /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text)
    ? Either.right(text)
    : wrong(
        `--allow-host must be a host name without scheme and port, such as "sandbox", not "${text}"`
      )

const parseDuration = (flag: string, text: string): Either.Either<Duration.Duration, UsageError> =>
  Duration.decodeUnknown(text).pipe(
    Option.filter(Duration.isFinite),
    Either.fromOption(
      () =>
        new UsageError({
          message: `${flag} must be a duration such as "500 millis" or "2 seconds", not "${text}"`
        })
    )
  )

/** The settings of a profile, except the retention, which is a duration here. */
const Settings = Schema.partial(ControlApi.Idempotency.pipe(Schema.omit("retention_seconds")))

const decodeSettings = Schema.decodeUnknownEither(Settings)
const issuesOf = Issues.validator(Settings, [], { onExcessProperty: "error" })

const parseProfile = (text: string): Either.Either<ControlApi.IdempotencyChange, UsageError> =>
  Either.gen(function* () {
    const flag = "--idempotency"
    const { retention, ...given } = Object.fromEntries(
      text.split(",").map((setting) => {
        const [name = "", ...value] = setting.split("=")
        return [name.trim(), value.join("=").trim()]
      })
    )
    const named = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name.replace("-", "_"),
        /^\d+$/.test(value) ? Number(value) : value
      ])
    )
    const settings = decodeSettings(named)
    const issues = issuesOf(named)
    if (Either.isLeft(settings) || issues.length > 0) {
      const rules = issues.map(({ field, rule }) => ({ field: field.replace("_", "-"), rule }))
      return yield* wrong(
        `${flag} must have settings such as "other-body=409,in-flight=wait,failures=replay,retention=1 day": ${Issues.print(rules)}`
      )
    }
    if (retention === undefined) return settings.right
    const duration = yield* parseDuration(flag, retention)
    return { ...settings.right, retention_seconds: Duration.toSeconds(duration) }
  })

/** A whole number is the same seed here and in the JSON of a control call. */
const parseSeed = (text: string): string | number => (/^\d{1,15}$/.test(text) ? Number(text) : text)
