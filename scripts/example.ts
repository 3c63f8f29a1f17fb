// Runs examples/NAME/main.ts. Starts a sandbox for it, unless MANILLA_BASE_URL is set or the example
// starts its own.
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { runCommand } from "./cli.js"
import { root } from "./packages.js"
import { environment } from "./sandboxed.js"

const programOf = (name: string): string => `${root}examples/${name}/main.ts`

const names = readdirSync(`${root}examples`).filter((name) => existsSync(programOf(name)))

const name = Args.choice(
  names.map((name) => [name, name]),
  { name: "name" }
)

const example = Command.make("npm run example --", { name }, ({ name }) =>
  Effect.gen(function* () {
    const isAlone =
      process.env["MANILLA_BASE_URL"] !== undefined ||
      readFileSync(programOf(name), "utf8").includes("../support/Example.js")
    const env = { ...process.env, ...(isAlone ? {} : yield* environment) }
    const child = spawn("npx", ["tsx", programOf(name)], { stdio: "inherit", env })
    const [code] = yield* Effect.promise(() => once(child, "exit"))
    process.exitCode = code ?? 1
  }).pipe(Effect.scoped)
)

runCommand(example)
