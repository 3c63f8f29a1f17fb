// Runs examples/NAME/main.ts. Starts a sandbox for it, unless MANILLA_BASE_URL is set or the example
// starts its own.
import { NodeRuntime } from "@effect/platform-node"
import * as Command from "@effect/platform/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const examples = new URL("../examples/", import.meta.url)
const names = readdirSync(examples).filter((name) =>
  existsSync(new URL(`${name}/main.ts`, examples))
)

const run = (name: string, environment: Record<string, string>) =>
  Command.make("npx", "tsx", fileURLToPath(new URL(`${name}/main.ts`, examples))).pipe(
    Command.env(environment),
    Command.stdin("inherit"),
    Command.stdout("inherit"),
    Command.stderr("inherit"),
    Command.exitCode
  )

const onSandbox = (name: string) =>
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
    const { client_id: clientId, client_secret: clientSecret } = yield* credentials
    return yield* run(name, {
      MANILLA_BASE_URL: baseUrl,
      MANILLA_AUTH_URL: authUrl,
      MANILLA_CLIENT_ID: clientId,
      MANILLA_CLIENT_SECRET: Redacted.value(clientSecret),
      MANILLA_ENVIRONMENT: "SANDBOX"
    })
  }).pipe(Effect.provide(SandboxServer.layer()))

const program = Effect.gen(function* () {
  const name = process.argv[2]
  if (name === undefined || !names.includes(name)) {
    yield* Console.error(
      `Usage: npm run example -- NAME, where NAME is one of: ${names.join(", ")}`
    )
    return 2
  }
  const configuredUrl = yield* Config.option(Config.string("MANILLA_BASE_URL"))
  const source = readFileSync(new URL(`${name}/main.ts`, examples), "utf8")
  return yield* Option.isSome(configuredUrl) || source.includes("../support/Example.js")
    ? run(name, {})
    : onSandbox(name)
})

program.pipe(
  Effect.tap((code) => Effect.sync(() => (process.exitCode = code))),
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain
)
