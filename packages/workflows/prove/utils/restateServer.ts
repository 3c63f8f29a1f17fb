/** The server of Restate from npm, with its data in a temporary folder, and runners behind a balancer. */
import * as Postgres from "@manilla/test-support/Postgres"
import * as Data from "effect/Data"
import type { DurationInput } from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listen } from "./listen.js"

export class RestateFailed extends Data.TaggedError("RestateFailed")<{
  readonly message: string
}> {}

/** The port of a runner: the ports up to the next of `freePort` are those of this process. */
export const portOf = (url: string, runner: number): number =>
  Number(new URL(url).port) + 40 + runner

/** The SDK needs a method of promises that Node has since version 22. The tests run on 20. */
export const asOnNode22 = () => {
  Object.assign(Promise, {
    withResolvers: () => {
      let resolve, reject
      const promise = new Promise((...both) => ([resolve, reject] = both))
      return { promise, resolve, reject }
    }
  })
}

const binary = () => {
  const own = createRequire(import.meta.url)
  const entry = createRequire(own.resolve("@restatedev/restate-server/package.json"))
  return entry.resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
  )
}

/** Connects each connection to a runner that lives. */
const balancer = (ports: ReadonlyArray<number>) => {
  const sockets = new Set<Socket>()
  let next = 0
  const server = createServer((incoming) => {
    sockets.add(incoming)
    incoming.on("error", () => incoming.destroy())
    incoming.on("close", () => sockets.delete(incoming))
    const open = (attempts: number) => {
      const outgoing = connect(ports[next++ % ports.length] ?? 0, "127.0.0.1")
      outgoing.once("connect", () => {
        outgoing.pipe(incoming).pipe(outgoing)
        outgoing.once("close", () => incoming.destroy())
        incoming.once("close", () => outgoing.destroy())
      })
      outgoing.on("error", () => (attempts > 1 ? open(attempts - 1) : incoming.destroy()))
    }
    open(ports.length)
  })
  return listen(server, () => {
    for (const socket of sockets) socket.destroy()
  })
}

const ended = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) resume(Effect.void)
    else child.once("exit", () => resume(Effect.void))
  })

const answered = (request: () => Promise<Response>) =>
  Effect.tryPromise({
    try: async () => {
      const { ok, status } = await request()
      if (!ok) throw new Error(`status ${status}`)
    },
    catch: (error) => new RestateFailed({ message: String(error) })
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(600))))

/** Starts a server for so many runners, which register themselves. Its `url` is its ingress. */
export const server = (runners: number) =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-restate-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const [ingress, admin, node] = yield* Effect.all([
      Postgres.freePort,
      Postgres.freePort,
      Postgres.freePort
    ])
    const url = `http://127.0.0.1:${ingress}`
    const runnerPorts = Array.from({ length: runners }, (_, i) => portOf(url, i + 1))
    const deployment = `http://127.0.0.1:${yield* balancer(runnerPorts)}`
    const config = join(home, "restate.toml")
    writeFileSync(
      config,
      `
base-dir = "${home}"
disable-telemetry = true
default-num-partitions = 2
rocksdb-total-memory-size = "200 MiB"
bind-address = "127.0.0.1:${node}"
advertised-address = "http://127.0.0.1:${node}"
log-filter = "off"
[admin]
bind-address = "127.0.0.1:${admin}"
[ingress]
bind-address = "127.0.0.1:${ingress}"
`
    )
    const start = Effect.gen(function* () {
      const args = [
        "--config-file",
        config,
        "--no-logo",
        "--listen-mode",
        "tcp",
        "--node-name",
        "n"
      ]
      const child = spawn(binary(), args, { stdio: ["ignore", "ignore", "inherit"] })
      yield* answered(() => fetch(`http://127.0.0.1:${admin}/health`))
      return child
    })
    let child = yield* start
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        child.kill("SIGKILL")
        return ended(child)
      })
    )
    return {
      url: Redacted.make(url),
      pid: () => child.pid,
      /** Registers the workflows once the first runner serves them. */
      register: answered(() =>
        fetch(`http://127.0.0.1:${admin}/deployments`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ uri: deployment, force: true })
        })
      ),
      restart: (how: "fast" | "crash", downFor: DurationInput) =>
        Effect.gen(function* () {
          child.kill(how === "fast" ? "SIGTERM" : "SIGKILL")
          yield* ended(child)
          yield* Effect.sleep(downFor)
          child = yield* start
        }).pipe(Effect.uninterruptible)
    }
  })
