// Runs the quickstart on each supported runtime, with the packages installed from tarballs. It collects
// one payment from a local sandbox. npx downloads the runtimes. The arguments are versions of Node, and
// default to the current version.
import { Command, FileSystem } from "@effect/platform"
import type { CommandExecutor } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Data, Duration, Effect, Either, Fiber, Option, Schedule, Stream } from "effect"
import { createServer } from "node:net"
import { join } from "node:path"
import { install as installNode, isExact } from "./node.mjs"
import { root } from "./packages.js"
import { bundle, compile, everything, install, packInto } from "./project.js"

class Failed extends Data.TaggedError("Failed")<{ readonly message: string }> {}

/** The expected output of the quickstart. */
const expected = "paid"

/** The timeout of one run, including its download. */
const limit = Duration.minutes(3)

const within = Effect.timeoutFail({
  duration: limit,
  onTimeout: () => new Failed({ message: `timed out after ${Duration.format(limit)}` })
})

/** The environment variables that the sandbox prints and the quickstart reads. */
const variables = [
  "MANILLA_BASE_URL",
  "MANILLA_AUTH_URL",
  "MANILLA_CLIENT_ID",
  "MANILLA_CLIENT_SECRET",
  "MANILLA_ENVIRONMENT"
]

/** Other runtimes use fetch, because `UndiciClient` requires Node. */
const onFetch = {
  'import * as UndiciClient from "@manilla/core/UndiciClient"':
    'import * as FetchClient from "@manilla/core/FetchClient"',
  "UndiciClient.layer": "FetchClient.layer"
}

/** A worker runs the program on a request, with its configuration from bindings. */
const inWorker = {
  ...onFetch,
  'import { NodeRuntime } from "@effect/platform-node"': 'import { ConfigProvider } from "effect"',
  "program.pipe(Effect.provide(live), NodeRuntime.runMain)": `export default {
  fetch: (_: Request, bindings: Record<string, string>): Promise<Response> =>
    program.pipe(
      Effect.provide(live),
      Effect.withConfigProvider(ConfigProvider.fromJson(bindings)),
      Effect.map(() => new Response()),
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
const workerdConfig = (port: number): string => `
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
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")]
);
`

const freePort = Effect.async<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close()
    resume(
      typeof address === "object" && address !== null
        ? Effect.succeed(address.port)
        : Effect.dieMessage("A server has no port")
    )
  })
})

/** Makes a project with all packages installed, and the quickstart for each kind of runtime. */
const makeProject = (port: number) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const project = yield* files.makeTempDirectoryScoped({ prefix: "manilla-runtimes-" })
    const write = (file: string, text: string) => files.writeFileString(join(project, file), text)

    yield* write("package.json", JSON.stringify({ private: true, type: "module" }))
    install(project, ...everything(packInto(project)))

    const quickstart = yield* files.readFileString(join(root, "examples/quickstart/main.ts"))
    yield* write("main.ts", quickstart)
    yield* write("fetch.ts", adapted(quickstart, onFetch))
    yield* write("worker.ts", adapted(quickstart, inWorker))
    // The types of @effect/platform-node require these type packages.
    compile(project, ["main.ts", "fetch.ts", "worker.ts"], { skipLibCheck: true })
    const { outputFiles } = yield* Effect.promise(() =>
      bundle(project, 'export { default } from "./worker.js"')
    )
    yield* write("bundle.js", outputFiles.map(({ text }) => text).join(""))
    yield* write("workerd.capnp", workerdConfig(port))
    return project
  })

type Environment = Readonly<Record<string, string>>

const commandIn = (
  project: string,
  environment: Environment,
  [name = "", ...args]: ReadonlyArray<string>
) => Command.make(name, ...args).pipe(Command.env(environment), Command.workingDirectory(project))

/** Starts the installed sandbox, and reads the environment variables that it prints. */
const startSandbox = (project: string) =>
  Effect.gen(function* () {
    const { stdout } = yield* commandIn(
      project,
      {},
      // Nobody reads its output after the variables, so it must not write a line for each request.
      "npx --no-install manilla-sandbox --port 0 --auth-port 0 --quiet".split(" ")
    ).pipe(Command.stderr("inherit"), Command.start)
    const environment = yield* stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filterMap((line) => Option.fromNullable(/^export (\w+)=(.*)$/.exec(line))),
      Stream.filter(([, name = ""]) => variables.includes(name)),
      Stream.take(variables.length),
      Stream.runFold({}, (all: Environment, [, name = "", value = ""]) => ({
        ...all,
        [name]: value
      })),
      within
    )
    const missing = variables.filter((name) => !(name in environment))
    return missing.length === 0
      ? environment
      : yield* new Failed({ message: `the sandbox did not print ${missing.join(", ")}` })
  })

const exited = ({ exitCode }: CommandExecutor.Process) =>
  Effect.mapError(exitCode, ({ message }) => new Failed({ message }))

/** Runs a program until it exits. */
const untilExit = (process: CommandExecutor.Process) =>
  Effect.filterOrFail(
    exited(process),
    (code) => code === 0,
    (code) => new Failed({ message: `it exited with ${code}` })
  )

/** Sends a request to a worker, which keeps running. */
const untilAnswer = (port: number) => (process: CommandExecutor.Process) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`)).pipe(
    Effect.retry(Schedule.spaced("200 millis")),
    Effect.orDie,
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }) => new Failed({ message: `it answered ${status}` })
    ),
    Effect.raceFirst(
      Effect.flatMap(exited(process), (code) => new Failed({ message: `it exited with ${code}` }))
    )
  )

interface Runtime {
  readonly name: string
  /** Absent if the installation failed. */
  readonly command: ReadonlyArray<string> | undefined
  readonly run?: (process: CommandExecutor.Process) => Effect.Effect<unknown, Failed>
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

const text = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  bytes.pipe(Stream.decodeText(), Stream.mkString)

/** Collects one payment on a runtime, or fails with the reason. */
const collectOn = (project: string, { command, run = untilExit }: Runtime) =>
  Effect.gen(function* () {
    if (command === undefined) return yield* new Failed({ message: "it could not be installed" })
    const environment = yield* startSandbox(project)
    const process = yield* Command.start(commandIn(project, environment, command))
    const output = yield* Effect.fork(
      Effect.all([text(process.stdout), text(process.stderr)], { concurrency: 2 })
    )
    const end = yield* Effect.either(within(run(process)))
    yield* Effect.ignore(process.kill())
    const [stdout, stderr] = yield* Fiber.join(output)
    if (Either.isRight(end) && stdout.trim() === expected) return
    const why = Either.isLeft(end) ? end.left.message : `it did not print "${expected}"`
    return yield* new Failed({ message: [why, stdout, stderr].join("\n").trim() })
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const versions = process.argv.slice(2)
  if (!versions.every(isExact)) {
    yield* Console.error(
      "Usage: npm run runtimes -- [VERSION...], with exact versions such as 22.23.3"
    )
    return 2
  }
  const port = yield* freePort
  const project = yield* makeProject(port)
  const runtimes: ReadonlyArray<Runtime> = [
    ...(versions.length > 0 ? versions : [process.versions.node]).map(onNode),
    onPackage("bun@1.4.5", "bun", "fetch.ts"),
    // Deno requires explicit permissions.
    onPackage("deno@2.9.6", "deno", "run", "--allow-net", "--allow-env", "fetch.ts"),
    {
      ...onPackage("workerd@1.20261117.1", "workerd", "serve", "workerd.capnp"),
      run: untilAnswer(port)
    }
  ]
  const [failures] = yield* Effect.partition(runtimes, (runtime) =>
    collectOn(project, runtime).pipe(
      Effect.tap(() => Console.log(`${runtime.name}: ${expected}`)),
      Effect.tapError(({ message }) => Console.error(`${runtime.name}: ${message}`)),
      Effect.mapError(() => runtime.name)
    )
  )
  if (failures.length === 0) return 0
  yield* Console.error(`The quickstart failed on ${failures.join(", ")}.`)
  return 1
})

program.pipe(
  Effect.tap((code) => Effect.sync(() => (process.exitCode = code))),
  Effect.scoped,
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain
)
