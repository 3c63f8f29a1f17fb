// Runs three programs on each supported runtime, with the packages installed from tarballs. The quickstart, with Effect and
// with promises, collects one payment from a local sandbox. The third one makes writes whose connection closes before the response: each
// must be sent once. npx downloads the runtimes. The arguments are versions of Node, and default to the current version.
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { runCommand } from "./cli.js"
import { closingServer } from "./closingServer.js"
import { install as installNode, isExact } from "./node.mjs"
import { root } from "./packages.js"
import { bundle, compile, makeProject } from "./project.js"
import { environment, settingsOf } from "./sandboxed.js"

/** The timeout of one run, including its download. */
const limitMillis = 180_000

/** Other runtimes use fetch, because `UndiciClient` requires Node. */
const onFetch = {
  'import * as UndiciClient from "@manilla/core/UndiciClient"':
    'import * as FetchClient from "@manilla/core/FetchClient"',
  "UndiciClient.layer": "FetchClient.layer"
}

/** A worker has its configuration from bindings. `workerd test` runs its method `test`. */
const inWorker = (program: string) => ({
  'import { NodeRuntime } from "@effect/platform-node"': 'import { ConfigProvider } from "effect"',
  [`${program}, NodeRuntime.runMain)`]: `export default {
  test: (_: object, bindings: Record<string, string>): Promise<void> =>
    ${program},
      Effect.withConfigProvider(ConfigProvider.fromJson(bindings)),
      Effect.runPromise
    )
}`
})

/** The same for the program with promises. */
const promisesInWorker = {
  "const manilla = await Promises.make()": `export default {
  test: async (_: object, env: Record<string, string>): Promise<void> => {
    const manilla = await Promises.make({
      baseUrl: env["MANILLA_BASE_URL"] ?? "",
      authUrl: env["MANILLA_AUTH_URL"] ?? "",
      clientId: env["MANILLA_CLIENT_ID"] ?? "",
      clientSecret: env["MANILLA_CLIENT_SECRET"] ?? ""
    })`,
  "await manilla.close()": "await manilla.close()\n  }\n}"
}

/** Replaces parts of a program. Throws if a part is missing. */
const adapted = (program: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((program, [from, to]) => {
    if (!program.includes(from)) throw new Error(`The program does not contain: ${from}`)
    return program.replaceAll(from, to)
  }, program)

/** Makes a project with the programs for each kind of runtime. */
const makePrograms = async (): Promise<string> => {
  const project = makeProject()
  const quickstart = readFileSync(join(root, "examples/quickstart/main.ts"), "utf8")
  const sendsOnce = readFileSync(join(root, "scripts/sendsOnce.ts"), "utf8")
  const inFetch = adapted(quickstart, onFetch)
  const promises = readFileSync(join(root, "examples/promises/main.ts"), "utf8")
  const programs = {
    "main.ts": quickstart,
    "fetch.ts": inFetch,
    "sendsOnce.ts": sendsOnce,
    "promises.ts": promises,
    "promisesWorker.ts": adapted(promises, promisesInWorker),
    "worker.ts": adapted(inFetch, inWorker("program.pipe(Effect.provide(live)")),
    "sendsOnceWorker.ts": adapted(sendsOnce, inWorker("program.pipe(Effect.asVoid"))
  }
  // The types of @effect/platform-node require type packages that are not installed.
  compile(project, programs, { skipLibCheck: true })
  for (const worker of ["worker", "sendsOnceWorker", "promisesWorker"]) {
    const { outputFiles } = await bundle(project, `export { default } from "./${worker}.js"`)
    const config = readFileSync(join(root, "scripts/workerd.capnp"), "utf8")
    writeFileSync(
      join(project, `${worker}.capnp`),
      config.replace("bundle.js", `${worker}.bundle.js`)
    )
    writeFileSync(
      join(project, `${worker}.bundle.js`),
      outputFiles.map(({ text }) => text).join("")
    )
  }
  return project
}

/** A runtime, and the commands that run the programs in the project. */
interface Runtime {
  readonly name: string
  readonly quickstart: ReadonlyArray<string>
  readonly promises: ReadonlyArray<string>
  readonly sendsOnce: ReadonlyArray<string>
}

const onNode = (version: string): Runtime => {
  const node = installNode(version)
  return {
    name: `node@${version}`,
    quickstart: [node, "main.js"],
    promises: [node, "promises.js"],
    sendsOnce: [node, "sendsOnce.js"]
  }
}

/** A runtime from an npm package, started by a command of the package. */
const onPackage = (
  name: string,
  command: string,
  quickstart: string,
  promises: string,
  sendsOnce: string
): Runtime => {
  const run = (file: string) => [
    "npx",
    "--yes",
    "--package",
    name,
    "--",
    ...command.split(" "),
    file
  ]
  return {
    name,
    quickstart: run(quickstart),
    promises: run(promises),
    sendsOnce: run(sendsOnce)
  }
}

const onBun = (version: string) =>
  onPackage(`bun@${version}`, "bun", "fetch.ts", "promises.ts", "sendsOnce.ts")

/** The output of a program. */
const outputOf = (
  project: string,
  [file = "", ...args]: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>
) =>
  Effect.tryPromise(() =>
    promisify(execFile)(file, args, {
      cwd: project,
      env: { ...process.env, ...variables },
      timeout: limitMillis
    })
  )

/** Collects one payment. */
const collects = (project: string, { name, quickstart }: Runtime) =>
  Effect.gen(function* () {
    const { stderr, stdout } = yield* outputOf(project, quickstart, yield* environment)
    if (!/^1500\.0000 XOF paid, payment \S+$/.test(stdout.trim())) {
      return yield* Effect.fail(`it printed: ${stdout}${stderr}`)
    }
    yield* Console.log(`${name}: paid`)
  })

/** Collects one payment, with promises. */
const promised = (project: string, { name, promises }: Runtime) =>
  Effect.gen(function* () {
    const { stderr, stdout } = yield* outputOf(project, promises, yield* environment)
    if (!/^\S+: COMPLETED$/m.test(stdout)) {
      return yield* Effect.fail(`it printed: ${stdout}${stderr}`)
    }
    yield* Console.log(`${name}: paid with promises`)
  })

/** Sends each write once, although its connection closes, and reports its outcome as unknown. */
const sendsOnce = (project: string, { name, sendsOnce }: Runtime) =>
  Effect.gen(function* () {
    const { posts, url } = yield* closingServer
    const { stderr, stdout } = yield* outputOf(project, sendsOnce, settingsOf(url))
    const unknown = [...stdout.matchAll(/: (Unkeyed)?OutcomeUnknown$/gm)].length
    if (unknown !== 12 || posts.length !== 12) {
      return yield* Effect.fail(
        `12 writes were sent ${posts.length} times:\n${posts.join("\n")}\n${stdout}${stderr}`
      )
    }
    yield* Console.log(`${name}: 12 writes whose connection closed were sent once each`)
  })

const runAll = (versions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const project = yield* Effect.promise(makePrograms)
    const runtimes = [
      ...(versions.length > 0 ? versions : [process.versions.node]).map(onNode),
      onBun("1.4.5"),
      // The last one that sends a POST again by itself.
      onBun("1.3.13"),
      // Deno requires explicit permissions.
      onPackage(
        "deno@2.9.6",
        "deno run --allow-net --allow-env",
        "fetch.ts",
        "promises.ts",
        "sendsOnce.ts"
      ),
      onPackage(
        "workerd@1.20261117.1",
        "workerd test",
        "worker.capnp",
        "promisesWorker.capnp",
        "sendsOnceWorker.capnp"
      )
    ]
    const programs = runtimes.flatMap((runtime) =>
      [collects, promised, sendsOnce].map((run) => ({ runtime, run }))
    )
    // One that fails does not hide what the others do.
    return yield* Effect.validateAll(programs, ({ run, runtime }) =>
      run(project, runtime).pipe(
        Effect.scoped,
        Effect.mapError((error) => `${runtime.name}: ${String(error)}`)
      )
    )
  })

const versions = Args.text({ name: "version" }).pipe(
  Args.withSchema(Schema.String.pipe(Schema.filter(isExact))),
  Args.withDescription("an exact version of Node, such as 22.23.3; by default the one that runs"),
  Args.repeated
)

runCommand(Command.make("npm run runtimes --", { versions }, ({ versions }) => runAll(versions)))
