/**
 * The kill test on PostgreSQL, or on another engine: runners in processes of their own share a database. At random moments, a
 * runner is killed, or stopped until it is taken for dead, or the database is restarted, while the service
 * injects faults. At the end, each business key must have moved money exactly once, and each execution must
 * have ended.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { type Job, type Settings, jobs, keysOf } from "./jobs.js"
import * as service from "./service.js"
import * as workers from "./workers.js"

/** An engine that is not ours. */
export interface OtherEngine {
  /** Its worker, such as `dbosWorker.ts`. */
  readonly worker: string
  /** Whether its database restarts; by default it does. */
  readonly hasOutages?: boolean
  /** Its server, in place of PostgreSQL. It finds its runners once one of them is ready. */
  readonly server?: (runners: number) => Effect.Effect<Server, unknown, Scope.Scope>
}

interface Server {
  readonly url: Redacted.Redacted
  readonly restart: (
    ...options: Parameters<Postgres.Server["restart"]>
  ) => Effect.Effect<void, unknown>
  readonly register?: Effect.Effect<void, unknown>
}

export interface Options {
  /** An engine that is not ours. */
  readonly other?: OtherEngine | undefined
  readonly runners: number
  readonly kills: number
  /** New business keys per life of a runner; 0.1 is one in ten lives. */
  readonly jobsPerLife: number
  /** If given, each business key is of a batch of so many payouts. */
  readonly itemsPerBatch?: number | undefined
  /** The longest life of a process before it is killed. */
  readonly longestLifeSeconds: number
  readonly seed: number
  /** Called after each kill. */
  readonly onKill?: ((kills: number) => Effect.Effect<void>) | undefined
}

/** The reason why an execution lost its owner. */
export type Cause = "killed, restarted at once" | "killed, and away for long" | "stopped for long"

export interface Report {
  readonly kills: number
  /** Kills before the engine ran. */
  readonly earlyKills: number
  /** Executions that were parked, although nothing was wrong with them. */
  readonly parked: number
  readonly pauses: number
  readonly databaseRestarts: number
  /** Runners that were not ready in time, as a supervisor would notice, and were started again. */
  readonly hungStarts: number
  readonly jobs: number
  /** Business keys of which the service had heard before the last kill. */
  readonly jobsKilled: number
  /** Requests that the proxy cut, halved, delayed or repeated. */
  readonly tricks: number
  /** Requests that create something, repeated ones included. */
  readonly creations: number
  /**
   * Per execution of a runner that was killed or stopped: until the service heard of it again. The time
   * includes the rest of the pause that the execution was in, up to half a second. Sorted.
   */
  readonly recoveryMillis: ReadonlyMap<Cause, ReadonlyArray<number>>
  readonly databaseBytes: number
  readonly violations: ReadonlyArray<string>
}

/** After how long the others take over the executions of a runner that does not answer. */
const expirationSeconds = 3

/** How long a runner may take to start. */
const longestStart = "1 minute"

/** An execution whose runner was killed or stopped. */
interface Interrupted {
  readonly businessKey: string
  readonly atMillis: number
  readonly why: Cause
}

/** A request that arrives so soon after a kill was sent before it. */
const inFlightMillis = 50

interface Slot {
  readonly runner: number
  worker: workers.Worker
}

/** The size of a database; 0 if it is no PostgreSQL. */
const bytesOf = ({ register, url }: Server) =>
  Effect.gen(function* () {
    if (register !== undefined) return 0
    const sql = yield* PgClient.make({ url })
    const [size] = yield* sql<{ readonly bytes: string }>`
      SELECT pg_database_size(current_database()) AS bytes`
    return Number(size?.bytes)
  }).pipe(Effect.scoped)

/** Where the requests for an execution are in the log of the service. */
const recoveriesIn = (
  sandbox: Sandbox.Service,
  all: ReadonlyArray<Job>,
  interrupted: ReadonlyArray<Interrupted>
) =>
  Effect.gen(function* () {
    const keys = new Map(
      all.flatMap((job) => keysOf(job).map((key) => [key, job.businessKey] as const))
    )
    const businessKeyOf = new Map<string, string>(keys)
    for (const { id, idempotency_key } of yield* sandbox.paymentIntents) {
      businessKeyOf.set(id, keys.get(`${idempotency_key}`) ?? "")
    }
    for (const { idempotency_key, reference } of yield* sandbox.payouts) {
      businessKeyOf.set(reference, keys.get(`${idempotency_key}`) ?? "")
    }
    const requests = new Map<string, Array<number>>()
    for (const { atMillis, key, path } of yield* sandbox.exchanges) {
      const id = key ?? path.split("?")[0]?.split("/").at(-1) ?? ""
      const businessKey = businessKeyOf.get(id)
      if (businessKey === undefined) continue
      const times = requests.get(businessKey)
      if (times === undefined) requests.set(businessKey, [atMillis])
      else times.push(atMillis)
    }
    const recoveries = new Map<Cause, Array<number>>()
    for (const { atMillis, businessKey, why } of interrupted) {
      const next = requests.get(businessKey)?.find((at) => at > atMillis + inFlightMillis)
      // An execution that had heard of its end only had to store it.
      if (next !== undefined) {
        recoveries.set(why, [...(recoveries.get(why) ?? []), next - atMillis])
      }
    }
    for (const times of recoveries.values()) times.sort((a, b) => a - b)
    return recoveries
  })

export const run = ({
  itemsPerBatch,
  jobsPerLife,
  kills,
  longestLifeSeconds,
  onKill,
  other,
  runners,
  seed
}: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const database: Server = yield* other?.server?.(runners) ?? Postgres.server
    yield* Effect.forkScoped(database.register ?? Effect.void)
    const program = yield* workers.bundleOf(other?.worker ?? "worker.ts")
    const hostility = other === undefined ? {} : { lost: 0.3, refused: 0.5 }
    const { access, proxy } = yield* service.access(sandbox, hostility)
    const url = Redacted.value(database.url)
    const settings = (runner: number, from: number, to: number): Settings => ({
      ...access,
      engine:
        other === undefined
          ? { kind: "postgres", url, expirationSeconds }
          : { kind: "other", url, runner },
      itemsPerBatch,
      from,
      to
    })

    const lives = yield* Ref.make(0)
    const lastOf = (life: number) => Math.ceil(life * jobsPerLife)
    /** A new life of a runner, which brings new jobs. */
    const startNext = (runner: number) =>
      Effect.flatMap(
        Ref.updateAndGet(lives, (count) => count + 1),
        (life) => workers.start(settings(runner, lastOf(life - 1) + 1, lastOf(life)), program)
      )

    const slots = yield* Effect.forEach(Arr.range(1, runners), (runner) =>
      Effect.map(startNext(runner), (worker): Slot => ({ runner, worker }))
    )

    const interrupted: Array<Interrupted> = []
    /** Notes the open executions of a runner of ours. */
    const note = (slot: Slot, why: Cause) =>
      Effect.gen(function* () {
        if (other !== undefined) return
        const sql = yield* PgClient.make({ url: database.url })
        const rows = yield* sql<{ readonly business_key: string }>`
          SELECT e.business_key FROM manilla_executions e JOIN manilla_runners r ON r.id = e.runner
          WHERE r.pid = ${slot.worker.pid ?? 0}`
        const atMillis = yield* Clock.currentTimeMillis
        for (const { business_key } of rows) {
          interrupted.push({ businessKey: business_key, atMillis, why })
        }
        // The database may be away, or have no tables yet.
      }).pipe(Effect.scoped, Effect.ignore)

    const injection = yield* Effect.forkScoped(
      service.injectFaults(sandbox, itemsPerBatch !== undefined)
    )
    const outage = yield* Effect.gen(function* () {
      yield* Effect.sleep(yield* Random.nextIntBetween(8_000, 20_000))
      const how = yield* Random.choice(["fast", "crash"] as const)
      yield* database.restart(how, yield* Random.nextIntBetween(0, 2_000))
      databaseRestarts++
    }).pipe(
      Effect.forever,
      Effect.when(() => other?.hasOutages !== false),
      Effect.forkScoped
    )

    /** Longer than the locks of a runner that does not answer. */
    const expiry = Effect.sleep(`${expirationSeconds * 1_500} millis`)
    let killed = 0
    let earlyKills = 0
    let pauses = 0
    let databaseRestarts = 0
    let hungStarts = 0

    const kill = (slot: Slot) =>
      Effect.gen(function* () {
        const isAway = (yield* Random.next) < 0.3
        killed++
        if (!(yield* Deferred.isDone(slot.worker.ready))) earlyKills++
        yield* note(slot, isAway ? "killed, and away for long" : "killed, restarted at once")
        yield* slot.worker.signal("SIGKILL")
        yield* slot.worker.exited
        yield* onKill?.(killed) ?? Effect.void
        if (isAway) yield* expiry
      })

    const stop = (slot: Slot) =>
      Effect.gen(function* () {
        pauses++
        yield* note(slot, "stopped for long")
        yield* slot.worker.signal("SIGSTOP")
        yield* expiry
        yield* slot.worker.signal("SIGCONT")
      })

    const isUp = ({ worker }: Slot) =>
      Effect.raceFirst(
        Effect.as(Deferred.await(worker.ready), true),
        Effect.as(worker.exited, false)
      ).pipe(
        Effect.timeoutTo({
          duration: longestStart,
          onSuccess: (is) => Effect.succeed(is),
          onTimeout: () =>
            Effect.gen(function* () {
              hungStarts++
              yield* worker.signal("SIGKILL")
              yield* worker.exited
              return false
            })
        }),
        Effect.flatten
      )

    /** Kills or stops a runner again and again, until enough runners were killed. */
    const livesOn = (slot: Slot) =>
      Effect.gen(function* () {
        let inVain = 0
        while (killed < kills) {
          const isEarly = (yield* Random.next) < 0.1
          if (!isEarly && !(yield* isUp(slot))) {
            // A runner that finds no database when it starts ends by itself.
            if (++inVain > 20) {
              return yield* new workers.WorkerFailed({ message: "a runner does not start" })
            }
            yield* Effect.sleep("500 millis")
            slot.worker = yield* startNext(slot.runner)
            continue
          }
          inVain = 0
          yield* Effect.sleep((yield* Random.next) * longestLifeSeconds * 1_000)
          if (killed >= kills) return
          if (!isEarly && (yield* Random.next) < 0.15) {
            yield* stop(slot)
          } else {
            yield* kill(slot)
            slot.worker = yield* startNext(slot.runner)
          }
        }
      })
    yield* Effect.forEach(slots, livesOn, { concurrency: "unbounded", discard: true })

    const jobsKilled = yield* service.keysHeardOf(sandbox)

    // Without new faults, what is still open ends soon.
    yield* Fiber.interrupt(outage)
    yield* Fiber.interrupt(injection)
    yield* sandbox.faults.clear
    yield* proxy.calm
    const [first, ...others] = slots
    for (const slot of others) {
      if (!(yield* isUp(slot))) slot.worker = yield* startNext(slot.runner)
    }
    if (first !== undefined) {
      yield* first.worker.signal("SIGKILL")
      yield* first.worker.exited
    }
    const whole = settings(1, 1, lastOf(yield* Ref.get(lives)))
    const all = jobs(whole)
    const { failures, parked } = yield* workers.finish(whole, program)
    const violations = [...failures, ...(yield* service.violationsIn(sandbox, all))]
    const report: Report = {
      kills: killed,
      earlyKills,
      parked,
      pauses,
      databaseRestarts,
      hungStarts,
      jobs: all.flatMap(keysOf).length,
      jobsKilled,
      tricks: proxy.tricks(),
      creations: (yield* sandbox.exchanges).filter(({ key }) => key !== undefined).length,
      recoveryMillis: yield* recoveriesIn(sandbox, all, interrupted),
      databaseBytes: yield* bytesOf(database),
      violations
    }
    return report
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.provide(service.layer(seed)),
    Effect.withRandom(Random.make(seed))
  )
