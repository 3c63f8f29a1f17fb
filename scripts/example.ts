// Runs examples/NAME/main.ts. Starts a sandbox for it, unless MANILLA_BASE_URL is set or the example
// starts its own.
import { NodeRuntime } from "@effect/platform-node"
import * as Command from "@effect/platform/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { environment } from "./sandboxed.js"

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
    : Effect.scoped(Effect.flatMap(environment, (variables) => run(name, variables)))
})

program.pipe(
  Effect.tap((code) => Effect.sync(() => (process.exitCode = code))),
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain
)
