// Runs examples/NAME/main.ts, or examples/NAME/src/main.ts of a starter, or lists them. Starts a sandbox for it,
// unless MANILLA_BASE_URL is set or the example starts its own.
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { runCommand } from "./cli.js"
import { root } from "./packages.js"
import { environment } from "./sandboxed.js"

/** The programs, and the folders that they run in: a starter keeps its files in its own folder. */
const programs = readdirSync(`${root}examples`).flatMap((name) =>
  [
    { folder: root, file: `examples/${name}/main.ts` },
    { folder: `${root}examples/${name}/`, file: "src/main.ts" }
  ]
    .filter(({ file, folder }) => existsSync(folder + file))
    .map((program): [string, typeof program] => [name, program])
)

const program = Args.optional(Args.choice(programs, { name: "name" }))

/** The seconds that a program takes, and the first sentence of its comment. */
const about = ({ file, folder }: (typeof programs)[number][1]): string => {
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(folder + file, "utf8")) ?? []
  const text = comment.replace(/\s*\n \* ?/g, " ").trim()
  const [, seconds] = /Takes (\d+) seconds\./.exec(text) ?? []
  return (seconds === undefined ? "" : `${seconds} s`).padEnd(6) + text.split(/(?<=\.) /)[0]
}

const list = programs.map(([name, program]) => name.padEnd(17) + about(program)).join("\n")

const example = Command.make("npm run example --", { program }, ({ program }) =>
  Effect.gen(function* () {
    if (Option.isNone(program)) return yield* Console.log(list)
    const { file, folder } = program.value
    const source = readFileSync(folder + file, "utf8")
    const isAlone =
      process.env["MANILLA_BASE_URL"] !== undefined ||
      source.includes("../support/Example.js") ||
      source.includes("@manilla/sandbox")
    const env = { ...process.env, ...(isAlone ? {} : yield* environment) }
    const child = spawn("npx", ["tsx", file], { cwd: folder, stdio: "inherit", env })
    const [code] = yield* Effect.promise(() => once(child, "exit"))
    process.exitCode = code ?? 1
  }).pipe(Effect.scoped)
)

runCommand(example)
