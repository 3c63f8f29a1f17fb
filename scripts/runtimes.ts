// Runs the quickstart as a user has it, installed from the tarballs, on each supported runtime: it
// collects one payment from a sandbox of its own, over loopback. npx downloads the runtimes. The
// versions of Node are arguments; without any it is the version that runs this.
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

/** The quickstart prints this, and nothing else. */
const collected = "1500.0000 XOF collected"

/** For one run, with its download. */
const limit = Duration.minutes(3)

const within = Effect.timeoutFail({
  duration: limit,
  onTimeout: () => new Failed({ message: `it was not done in ${Duration.format(limit)}` })
})

/** Of the sandbox, and read by the quickstart. */
const variables = [
  "MANILLA_BASE_URL",
  "MANILLA_AUTH_URL",
  "MANILLA_CLIENT_ID",
  "MANILLA_CLIENT_SECRET",
  "MANILLA_ENVIRONMENT"
]

/** `UndiciClient` is for Node. */
const onFetch = {
  'import * as UndiciClient from "@manilla/core/UndiciClient"':
    'import { FetchHttpClient } from "@effect/platform"',
  "UndiciClient.layer": "FetchHttpClient.layer"
}

/** A worker runs the program when it is asked, and has its configuration from its bindings. */
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

/** The quickstart with some of its text replaced. It throws when the text is not there. */
const adapted = (quickstart: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((program, [from, to]) => {
    if (!program.includes(from)) throw new Error(`The quickstart does not say: ${from}`)
    return program.replaceAll(from, to)
  }, quickstart)

/** workerd demands a date. The worker can reach this machine alone, and nothing of Node. */
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

/** An empty project with every package installed, and the quickstart for each kind of runtime. */
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
    // @effect/platform-node's own types need those of packages that come without.
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

/** Starts the sandbox that is installed beside the clients, and reads what it says of itself. */
const startSandbox = (project: string) =>
  Effect.gen(function* () {
    const { stdout } = yield* commandIn(
      project,
      {},
      "npx --no-install manilla-sandbox --port 0 --auth-port 0".split(" ")
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

/** A program runs until it exits. */
const untilExit = (process: CommandExecutor.Process) =>
  Effect.filterOrFail(
    exited(process),
    (code) => code === 0,
    (code) => new Failed({ message: `it exited with ${code}` })
  )

/** A worker runs when it is asked, and stays. */
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
  /** None when it could not be installed. */
  readonly command: ReadonlyArray<string> | undefined
  readonly run?: (process: CommandExecutor.Process) => Effect.Effect<unknown, Failed>
}

const onNode = (version: string): Runtime => {
  const node = installNode(version)
  return { name: `node@${version}`, command: node === undefined ? undefined : [node, "main.js"] }
}

/** On what npm has under a name and version, by a command of it. */
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
    if (Either.isRight(end) && stdout.trim() === collected) return
    const why = Either.isLeft(end) ? end.left.message : `it did not print "${collected}"`
    return yield* new Failed({ message: [why, stdout, stderr].join("\n").trim() })
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const versions = process.argv.slice(2)
  if (!versions.every(isExact)) {
    yield* Console.error("Usage: npm run runtimes -- [VERSION...], each exact, like 22.23.3")
    return 2
  }
  const port = yield* freePort
  const project = yield* makeProject(port)
  const runtimes: ReadonlyArray<Runtime> = [
    ...(versions.length > 0 ? versions : [process.versions.node]).map(onNode),
    onPackage("bun@1.4.5", "bun", "fetch.ts"),
    // Deno grants a program nothing unasked.
    onPackage("deno@2.9.6", "deno", "run", "--allow-net", "--allow-env", "fetch.ts"),
    {
      ...onPackage("workerd@1.20261117.1", "workerd", "serve", "workerd.capnp"),
      run: untilAnswer(port)
    }
  ]
  const [failures] = yield* Effect.partition(runtimes, (runtime) =>
    collectOn(project, runtime).pipe(
      Effect.tap(() => Console.log(`${runtime.name}: ${collected}`)),
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
