/**
 * The command-line arguments of `manilla-sandbox`.
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { parseArgs } from "node:util"

export type Command =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Serve"; readonly port: number; readonly authPort: number }

export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export const help = `manilla-sandbox: a local emulation of the payments service

Usage: manilla-sandbox [--port <port>] [--auth-port <port>]

  --port <port>       port of {base_url}, default 4010; 0 for any free port
  --auth-port <port>  port of {auth_url}, default 4011; 0 for any free port
  --help              show this help

The state is kept in memory. Stop the sandbox with Ctrl+C.`

export const parse = (args: ReadonlyArray<string>): Either.Either<Command, UsageError> =>
  Either.gen(function* () {
    const { values } = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...args],
          options: {
            port: { type: "string" },
            "auth-port": { type: "string" },
            help: { type: "boolean", short: "h" }
          }
        }),
      catch: (cause) =>
        new UsageError({ message: cause instanceof Error ? cause.message : String(cause) })
    })
    if (values.help === true) return { _tag: "Help" }
    const port = yield* parsePort("--port", values.port ?? "4010")
    const authPort = yield* parsePort("--auth-port", values["auth-port"] ?? "4011")
    return port === authPort && port !== 0
      ? yield* Either.left(new UsageError({ message: "--port and --auth-port must differ" }))
      : { _tag: "Serve", port, authPort }
  })

const parsePort = (flag: string, text: string): Either.Either<number, UsageError> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Either.right(Number(text))
    : Either.left(
        new UsageError({
          message: `${flag} must be a whole number from 0 to 65535, not "${text}"`
        })
      )
