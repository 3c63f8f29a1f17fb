// Runs the quickstart on each supported runtime, with the packages installed from tarballs. It collects
// one payment from a local sandbox. npx downloads the runtimes. The arguments are versions of Node, and
// default to the current version.
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { install as installNode, isExact } from "./node.mjs"
import { root } from "./packages.js"
import { bundle, compile, everything, install, packInto } from "./project.js"
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

/** workerd requires a compatibility date. The worker can reach only this machine. */
const workerdConfig = (variables: ReadonlyArray<string>): string => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker", esModule = embed "bundle.js")],
      compatibilityDate = "2025-01-01",
      bindings = [
        ${variables.map((name) => `(name = "${name}", fromEnvironment = "${name}")`).join(", ")}
      ],
      globalOutbound = "loopback"
    )),
    (name = "loopback", network = (allow = ["local"]))
  ]
);
`

/** Makes a project with all packages installed, and the quickstart for each kind of runtime. */
const makeProject = async (): Promise<string> => {
  const project = mkdtempSync(join(tmpdir(), "manilla-runtimes-"))
  process.on("exit", () => rmSync(project, { recursive: true, force: true, maxRetries: 5 }))
  const write = (file: string, text: string) => writeFileSync(join(project, file), text)
  write("package.json", JSON.stringify({ private: true, type: "module" }))
  install(project, ...everything(packInto(project)))

  const quickstart = readFileSync(join(root, "examples/quickstart/main.ts"), "utf8")
  write("main.ts", quickstart)
  write("fetch.ts", adapted(quickstart, onFetch))
  write("worker.ts", adapted(quickstart, inWorker))
  // The types of @effect/platform-node require these type packages.
  compile(project, ["main.ts", "fetch.ts", "worker.ts"], { skipLibCheck: true })
  const { outputFiles } = await bundle(project, 'export { default } from "./worker.js"')
  write("bundle.js", outputFiles.map(({ text }) => text).join(""))
  return project
}

interface Runtime {
  readonly name: string
  /** Absent if the installation failed. */
  readonly command: ReadonlyArray<string> | undefined
}

const onNode = (version: string): Runtime => {
  const node = installNode(version)
  return { name: `node@${version}`, command: node === undefined ? undefined : [node, "main.js"] }
}

/** A runtime from an npm package, started by a command of the package. */
const onPackage = (name: string, ...command: ReadonlyArray<string>): Runtime => ({
  name,
  command: ["npx", "--yes", "--package", name, "--", ...command]
})

/** Collects one payment on a runtime. Returns whether it did, and prints the reason if not. */
const collectOn = (project: string, { command, name }: Runtime): Promise<boolean> =>
  Effect.gen(function* () {
    const variables = yield* environment
    writeFileSync(join(project, "workerd.capnp"), workerdConfig(Object.keys(variables)))
    const [file = "", ...args] = command ?? []
    yield* Effect.tryPromise(async () => {
      if (command === undefined) throw new Error("it could not be installed")
      const env = { ...process.env, ...variables }
      const { stderr, stdout } = await promisify(execFile)(file, args, {
        cwd: project,
        env,
        timeout: limitMillis
      })
      if (!expected.test(stdout.trim())) throw new Error(`it printed: ${stdout}${stderr}`)
    })
    console.log(`${name}: paid`)
    return true
  }).pipe(
    Effect.catchAll((error) =>
      Effect.sync(() => {
        console.error(`${name}:`, error)
        return false
      })
    ),
    Effect.scoped,
    Effect.runPromise
  )

const versions = process.argv.slice(2)
if (!versions.every(isExact)) {
  console.error("Usage: npm run runtimes -- [VERSION...], with exact versions such as 22.23.3")
  process.exit(2)
}
const project = await makeProject()
const runtimes: ReadonlyArray<Runtime> = [
  ...(versions.length > 0 ? versions : [process.versions.node]).map(onNode),
  onPackage("bun@1.4.5", "bun", "fetch.ts"),
  // Deno requires explicit permissions.
  onPackage("deno@2.9.6", "deno", "run", "--allow-net", "--allow-env", "fetch.ts"),
  onPackage("workerd@1.20261117.1", "workerd", "test", "workerd.capnp")
]
for (const runtime of runtimes) {
  if (!(await collectOn(project, runtime))) process.exitCode = 1
}
