/**
 * The kill test: a worker process runs workflows on an SQLite file and is killed at random moments, again
 * and again, while the service, a sandbox in this process, injects faults. At the end, each business key
 * must have moved money exactly once, and each execution must have ended.
 */
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Settings, jobs } from "./jobs.js"

export interface Options {
  readonly kills: number
  /** New business keys per life of the worker. */
  readonly jobsPerLife: number
  readonly seed: number
  /** Called after each kill. */
  readonly onKill?: ((kills: number) => Effect.Effect<void>) | undefined
}

export interface Report {
  readonly kills: number
  /** Kills before the engine ran. */
  readonly earlyKills: number
  readonly jobs: number
  /** Requests that create something, repeated ones included. */
  readonly creations: number
  /** From the start of the engine to the first request for an execution of an earlier life, sorted. */
  readonly recoveryMillis: ReadonlyArray<number>
  readonly databaseBytes: number
  readonly violations: ReadonlyArray<string>
}

/** The worker ended by itself, or did not come to its end. */
class WorkerFailed extends Data.TaggedError("WorkerFailed")<{ readonly message: string }> {}

const workerFile = fileURLToPath(new URL("worker.ts", import.meta.url))

/** The longest life of a worker before it is killed. */
const longestLifeMillis = 2_500

/** How long the last worker may take to end everything. */
const endingTime = Duration.minutes(5)

/** How far back a worker waits for the executions of earlier lives. The last worker waits for all. */
const jobsInSight = 60

const injectFaults = ({ faults, revokeTokens }: Sandbox.Service) =>
  Effect.gen(function* () {
    const creation = yield* Random.choice([
      "Payments.create",
      "Payouts.create",
      "Cards.issue"
    ] as const)
    const read = yield* Random.choice(["Payments.get", "Payouts.get"] as const)
    const fault = yield* Random.choice([
      faults.add(Fault.dropAfter({ operation: creation, times: 3 })),
      faults.add(Fault.dropBefore({ operation: creation, times: 2 })),
      faults.add(Fault.delay("300 millis", { operation: creation })),
      faults.add(Fault.status(503, { operation: creation, times: 2, processed: true })),
      faults.add(Fault.status(429, { operation: creation, times: 3 })),
      faults.add(Fault.body("<html>", { operation: creation })),
      faults.add(Fault.dropAfter({ operation: read, times: 3 })),
      revokeTokens
    ])
    // The faults that met no request are removed, or they would outnumber the requests.
    yield* faults.clear
    yield* fault
    yield* Effect.sleep("150 millis")
  }).pipe(Effect.forever)

/** Runs a worker, which is killed when the scope closes. */
const startWorker = (settings: Settings) =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<number>()
    const ended = yield* Deferred.make<void, WorkerFailed>()
    const ends = new Map<string, string>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = spawn(process.execPath, ["--import", "tsx", workerFile], {
          cwd: dirname(workerFile),
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, WORKER: JSON.stringify(settings) }
        })
        createInterface(worker.stdout).on("line", (line) => {
          const [word, key = "", ...text] = line.split(" ")
          if (word === "ready") Deferred.unsafeDone(ready, Clock.currentTimeMillis)
          if (word === "end") ends.set(key, text.join(" "))
          if (word === "ended") Deferred.unsafeDone(ended, Effect.void)
        })
        const exited = new Promise<void>((resolve) =>
          worker.once("exit", (code, signal) => {
            const message = `the worker ended with ${signal ?? code}`
            Deferred.unsafeDone(ended, Effect.fail(new WorkerFailed({ message })))
            resolve()
          })
        )
        return { worker, exited }
      }),
      ({ exited, worker }) =>
        Effect.promise(() => {
          worker.kill("SIGKILL")
          return exited
        })
    )
    return { ready, ended, ends }
  })

/** When the service first heard of an execution of an earlier life, counted from the start of the engine. */
const recovery = (sandbox: Sandbox.Service, readyMillis: number, earlier: ReadonlySet<string>) =>
  Effect.map(sandbox.exchanges, (exchanges) =>
    Option.map(
      Option.fromNullable(
        exchanges.find(
          ({ atMillis, key, operation }) =>
            atMillis >= readyMillis &&
            (operation?.endsWith(".get") === true || earlier.has(key?.split(":")[1] ?? ""))
        )
      ),
      ({ atMillis }) => atMillis - readyMillis
    )
  )

/** A worker that lives for a random time. Returns how long its recovery took, if it came so far. */
const oneLife = (sandbox: Sandbox.Service, settings: Settings, earlier: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const { ended, ready } = yield* startWorker(settings)
    const isEarly = (yield* Random.next) < 0.1
    const lifeMillis = Math.round((yield* Random.next) * longestLifeMillis)
    if (isEarly) {
      yield* Effect.sleep(lifeMillis)
      const isReady = yield* Deferred.isDone(ready)
      return { isEarly: !isReady, recoveryMillis: Option.none<number>() }
    }
    const readyMillis = yield* Effect.raceFirst(
      Deferred.await(ready),
      Effect.zipRight(Deferred.await(ended), Effect.never)
    )
    yield* Effect.sleep(lifeMillis)
    return { isEarly: false, recoveryMillis: yield* recovery(sandbox, readyMillis, earlier) }
  }).pipe(Effect.scoped)

/** The errors in the ledger of the service. */
const violationsIn = (sandbox: Sandbox.Service, settings: Settings) =>
  Effect.gen(function* () {
    const all = jobs(settings)
    const made = [
      ...(yield* sandbox.paymentIntents).map(({ idempotency_key, status }) => ({
        key: `${idempotency_key}`,
        isDone: status === "COMPLETED"
      })),
      ...(yield* sandbox.payouts).map(({ idempotency_key, status }) => ({
        key: `${idempotency_key}`,
        isDone: status === "COMPLETED"
      })),
      ...(yield* sandbox.cards).map(({ issuance_reference }) => ({
        key: issuance_reference,
        isDone: true
      }))
    ]
    const operations = {
      payment: "Payments.collect",
      payout: "Payouts.disburse",
      card: "Cards.issue"
    }
    const expected = all.map(({ businessKey, kind }) => `${operations[kind]}:${businessKey}`)
    const violations: Array<string> = []
    for (const key of expected) {
      const own = made.filter((resource) => resource.key === key)
      if (own.length !== 1) violations.push(`${key} was applied ${own.length} times`)
      if (own.some(({ isDone }) => !isDone)) violations.push(`${key} is not completed`)
    }
    if (made.length !== expected.length)
      violations.push(`${made.length} of ${expected.length} made`)
    // A payment and a card are one movement each. A payout is reserved, then paid.
    const moves = all.reduce((sum, { kind }) => sum + (kind === "payout" ? 2 : 1), 0)
    const { journal } = yield* sandbox.ledger
    const moved = journal.filter(({ description }) => description !== "opening balance").length
    if (moved !== moves) violations.push(`money moved ${moved} times, not ${moves}`)
    return violations
  })

export const run = ({ jobsPerLife, kills, onKill, seed }: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-kills-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(directory, "workflows.db")
    const { clientId, clientSecret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const [cardholder] = yield* sandbox.cardholders
    const settings = (from: number, to: number): Settings => ({
      file,
      baseUrl: sandbox.baseUrl,
      authUrl: sandbox.authUrl,
      clientId,
      clientSecret: Redacted.value(clientSecret),
      wallet: wallet?.id ?? "",
      cardholder: cardholder?.id ?? "",
      from,
      to
    })

    const injection = yield* Effect.forkScoped(injectFaults(sandbox))
    const recoveries: Array<number> = []
    const earlier = new Set<string>()
    let earlyKills = 0
    let last = 0
    for (let kill = 1; kill <= kills; kill++) {
      last += jobsPerLife
      const own = settings(Math.max(1, last - jobsInSight + 1), last)
      const life = yield* oneLife(sandbox, own, earlier)
      if (life.isEarly) earlyKills++
      if (Option.isSome(life.recoveryMillis)) recoveries.push(life.recoveryMillis.value)
      for (const { businessKey } of jobs(own)) earlier.add(businessKey)
      yield* onKill?.(kill) ?? Effect.void
    }

    // Without new faults, what is still open ends soon.
    yield* Fiber.interrupt(injection)
    yield* sandbox.faults.clear
    const whole = settings(1, last)
    const ends = yield* Effect.scoped(
      Effect.gen(function* () {
        const { ended, ends } = yield* startWorker(whole)
        yield* Deferred.await(ended).pipe(
          Effect.timeoutFail({
            duration: endingTime,
            onTimeout: () => new WorkerFailed({ message: "not every execution ended" })
          })
        )
        return ends
      })
    )
    const violations = [
      ...jobs(whole).flatMap(({ businessKey }) => {
        const end = ends.get(businessKey)
        return end === '"success"' ? [] : [`${businessKey} ended with ${end ?? "nothing"}`]
      }),
      ...(yield* violationsIn(sandbox, whole))
    ]
    const exchanges = yield* sandbox.exchanges
    const report: Report = {
      kills,
      earlyKills,
      jobs: last,
      creations: exchanges.filter(({ key }) => key !== undefined).length,
      recoveryMillis: recoveries.sort((a, b) => a - b),
      databaseBytes: statSync(file).size,
      violations
    }
    return report
  }).pipe(
    Effect.scoped,
    Effect.provide(
      SandboxServer.layer({
        seed,
        settleAfter: "1 second",
        wallets: [
          { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("1000000000") }
        ]
      })
    ),
    Effect.withRandom(Random.make(seed))
  )
