// Runs the quickstart on each supported runtime, with the packages installed from tarballs. It collects
// one payment from a local sandbox. npx downloads the runtimes. The arguments are versions of Node, and
// default to the current version.
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { install as installNode, isExact } from "./node.mjs"
import { runCommand } from "./cli.js"
import { root } from "./packages.js"
import { bundle, compile, makeProject } from "./project.js"
import { environment } from "./sandboxed.js"

/** The expected output of the quickstart. */
const expected = /^1500\.0000 XOF paid, payment \S+$/

/** The timeout of one run, including its download. */
const limitMillis = 180_000

/** Other runtimes use fetch, because `UndiciClient` requires Node. */
const onFetch = {
  'import * as UndiciClient from "@manilla/core/UndiciClient"':
    'import * as FetchClient from "@manilla/core/FetchClient"',
  "UndiciClient.layer": "FetchClient.layer"
}

/** A worker has its configuration from bindings. `workerd test` runs its method `test`. */
const inWorker = {
  ...onFetch,
  'import { NodeRuntime } from "@effect/platform-node"': 'import { ConfigProvider } from "effect"',
  "program.pipe(Effect.provide(live), NodeRuntime.runMain)": `export default {
  test: (_: object, bindings: Record<string, string>): Promise<void> =>
    program.pipe(
      Effect.provide(live),
      Effect.withConfigProvider(ConfigProvider.fromJson(bindings)),
      Effect.runPromise
    )
}`
}

/** Replaces parts of the quickstart. Throws if a part is missing. */
const adapted = (quickstart: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((program, [from, to]) => {
    if (!program.includes(from)) throw new Error(`The quickstart does not contain: ${from}`)
    return program.replaceAll(from, to)
  }, quickstart)

/** Makes a project with the quickstart for each kind of runtime. */
const makeQuickstart = async (): Promise<string> => {
  const project = makeProject()
  const quickstart = readFileSync(join(root, "examples/quickstart/main.ts"), "utf8")
  const programs = {
    "main.ts": quickstart,
    "fetch.ts": adapted(quickstart, onFetch),
    "worker.ts": adapted(quickstart, inWorker)
  }
  // The types of @effect/platform-node require type packages that are not installed.
  compile(project, programs, { skipLibCheck: true })
  const { outputFiles } = await bundle(project, 'export { default } from "./worker.js"')
  copyFileSync(join(root, "scripts/workerd.capnp"), join(project, "workerd.capnp"))
  writeFileSync(join(project, "bundle.js"), outputFiles.map(({ text }) => text).join(""))
  return project
}

/** A command that runs the quickstart in the project. */
type Runtime = readonly [name: string, ...command: ReadonlyArray<string>]

const onNode = (version: string): Runtime => [`node@${version}`, installNode(version), "main.js"]

/** A runtime from an npm package, started by a command of the package. */
const onPackage = (name: string, command: string): Runtime => {
  const args = ["--yes", "--package", name, "--", ...command.split(" ")]
  return [name, "npx", ...args]
}

/** Collects one payment on a runtime. */
const collectOn = (project: string, [name, file = "", ...args]: Runtime) =>
  Effect.gen(function* () {
    const variables = yield* environment
    const env = { ...process.env, ...variables }
    const { stderr, stdout } = yield* Effect.tryPromise(() =>
      promisify(execFile)(file, args, { cwd: project, env, timeout: limitMillis })
    )
    if (!expected.test(stdout.trim())) return yield* Effect.fail(`it printed: ${stdout}${stderr}`)
    yield* Console.log(`${name}: paid`)
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => `${name}: ${String(error)}`)
  )

const collect = (versions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const project = yield* Effect.promise(makeQuickstart)
    const runtimes = [
      ...(versions.length > 0 ? versions : [process.versions.node]).map(onNode),
      onPackage("bun@1.4.5", "bun fetch.ts"),
      // Deno requires explicit permissions.
      onPackage("deno@2.9.6", "deno run --allow-net --allow-env fetch.ts"),
      onPackage("workerd@1.20261117.1", "workerd test workerd.capnp")
    ]
    // One that fails does not hide what the others do.
    return yield* Effect.validateAll(runtimes, (runtime) => collectOn(project, runtime))
  })

const versions = Args.text({ name: "version" }).pipe(
  Args.withSchema(Schema.String.pipe(Schema.filter(isExact))),
  Args.withDescription("an exact version of Node, such as 22.23.3; by default the one that runs"),
  Args.repeated
)

runCommand(Command.make("npm run runtimes --", { versions }, ({ versions }) => collect(versions)))
