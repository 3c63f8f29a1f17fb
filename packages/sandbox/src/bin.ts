#!/usr/bin/env node
/**
 * `manilla-sandbox`: serves the sandbox until it is stopped.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Exchange } from "./Exchange.js"
import * as cli from "./internal/command/cli.js"
import * as environment from "./internal/command/environment.js"
import * as input from "./internal/command/input.js"
import * as control from "./internal/control/routes.js"
import * as files from "./internal/page/files.js"
import * as webPage from "./internal/page/webPage.js"
import * as SandboxServer from "./SandboxServer.js"

type Serve = Extract<cli.Command, { readonly _tag: "Serve" }>

const serve = ({ initial: file, profile: profileFile, quiet, server }: Serve) =>
  Effect.gen(function* () {
    const opening = file === undefined ? {} : yield* input.readInitial(file)
    const { idempotency, page } =
      profileFile === undefined ? {} : yield* input.readProfile(profileFile)
    const sandbox = yield* SandboxServer.make({
      ...server,
      ...opening,
      page,
      idempotency: { ...idempotency, ...server.idempotency },
      onExchange: quiet ? undefined : (exchange) => Console.log(requestLine(exchange))
    })
    const { baseUrl } = sandbox
    const variables = Object.entries(yield* environment.of(sandbox, page))
    yield* Console.log(`The sandbox is listening. These credentials are valid for sandboxes only:

${variables.map(([name, value]) => `export ${name}=${value}`).join("\n")}

Page:          ${new URL(webPage.paths.main, baseUrl).href}
Documentation: ${new URL(webPage.paths.docs, baseUrl).href}
Control API:   ${new URL(control.openApi, baseUrl).href}
`)
    return yield* Effect.never
  }).pipe(Effect.scoped)

/** Such as `POST /api/v1/payments  201  3 ms  replay  fault drop_after`, with a line for each warning. */
const requestLine = (exchange: Exchange): string => {
  const { fault, method, ending, path, replay, tookMillis, warnings } = exchange
  const line = [
    `${method} ${path}`,
    String(ending),
    ...(tookMillis === undefined ? [] : [`${tookMillis} ms`]),
    ...(replay ? ["replay"] : []),
    ...(fault === undefined ? [] : [`fault ${fault.name}`])
  ].join("  ")
  return [line, ...warnings.map((warning) => `  warning: ${warning}`)].join("\n")
}

const reasonOf = (
  { cause }: { readonly cause: unknown },
  { authPort }: SandboxServer.Options
): string => {
  if (!Predicate.isError(cause)) return String(cause)
  if (!("code" in cause && cause.code === "EADDRINUSE" && "port" in cause)) return cause.message
  const { port } = cause
  const flag = port === authPort ? "--auth-port" : "--port"
  return `port ${String(port)} is in use. Choose another with ${flag}, such as ${flag} 0 for any free port.`
}

/** Its module is loaded for it alone. */
const prove = Effect.gen(function* () {
  const { command } = yield* Effect.promise(() => import("./internal/command/prove.js"))
  const hasPassed = yield* command(process.argv.slice(3))
  if (!hasPassed) yield* cli.exit(1)
}).pipe(Effect.catchTag("Problem", ({ message }) => new cli.UsageError({ message })))

const main = Effect.gen(function* () {
  if (process.argv[2] === "prove") return yield* prove
  const command = yield* cli.parse(process.argv.slice(2))
  if (command._tag === "Help") return yield* Console.log(cli.help)
  if (command._tag === "Version") return yield* Console.log(yield* files.version)
  return yield* Effect.tapErrorTag(serve(command), "ServeError", (error) =>
    Console.error(`The sandbox cannot listen: ${reasonOf(error, command.server)}`)
  )
}).pipe(
  Effect.catchTag("UsageError", ({ message }) =>
    Effect.zipRight(Console.error(message), cli.exit(2))
  ),
  Effect.tapErrorTag("DataError", ({ message }) => Console.error(message)),
  Effect.tapDefect((cause) => Effect.logError(cause))
)

// The reader of the request lines may leave, as in `manilla-sandbox | head`: the sandbox keeps serving.
process.stdout.on("error", () => {})

NodeRuntime.runMain(main, { disableErrorReporting: true })
