/**
 * The kill test on SQLite: a worker process runs workflows on a file and is killed at random moments, again
 * and again, while the service injects faults. At the end, each business key must have moved money exactly
 * once, and each execution must have ended.
 */
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Settings, jobs, keysOf } from "./jobs.js"
import * as service from "./service.js"
import * as workers from "./workers.js"

export interface Options {
  readonly kills: number
  /** New business keys per life of the worker; 0.1 is one in ten lives. */
  readonly jobsPerLife: number
  /** If given, each business key is of a batch of so many payouts. */
  readonly itemsPerBatch?: number | undefined
  /** The longest life of a process before it is killed. */
  readonly longestLifeSeconds: number
  readonly seed: number
  /** Called after each kill. */
  readonly onKill?: ((kills: number) => Effect.Effect<void>) | undefined
}

export interface Report {
  readonly kills: number
  /** Kills before the engine ran. */
  readonly earlyKills: number
  /** Executions that were parked, although nothing was wrong with them. */
  readonly parked: number
  readonly jobs: number
  /** Business keys of which the service had heard before the last kill. */
  readonly jobsKilled: number
  /** Requests that the proxy cut, halved, delayed or repeated. */
  readonly tricks: number
  /** Requests that create something, repeated ones included. */
  readonly creations: number
  /** Until the first request for an execution of an earlier life, sorted. */
  readonly recoveryMillis: ReadonlyMap<"from the start of the engine", ReadonlyArray<number>>
  readonly databaseBytes: number
  readonly violations: ReadonlyArray<string>
}

/** In how many lives a worker waits for an execution. The last worker waits for all. */
const livesInSight = 10

/** When the service first heard of an execution of an earlier life, counted from the start of the engine. */
const recovery = (sandbox: Sandbox.Service, readyMillis: number, earlier: ReadonlySet<string>) =>
  Effect.map(sandbox.exchanges, (exchanges) =>
    Option.map(
      Option.fromNullable(
        exchanges.find(
          ({ atMillis, key, operation }) =>
            atMillis >= readyMillis &&
            (operation?.endsWith(".get") === true || earlier.has(key ?? ""))
        )
      ),
      ({ atMillis }) => atMillis - readyMillis
    )
  )

/** A worker that lives for a random time. Returns how long its recovery took, if it came so far. */
const oneLife = (
  sandbox: Sandbox.Service,
  program: string,
  settings: Settings,
  earlier: ReadonlySet<string>,
  longestLifeSeconds: number
) =>
  Effect.gen(function* () {
    const { ended, ready } = yield* workers.start(settings, program)
    const isEarly = (yield* Random.next) < 0.1
    const lifeMillis = Math.round((yield* Random.next) * longestLifeSeconds * 1_000)
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

export const run = ({
  itemsPerBatch,
  jobsPerLife,
  kills,
  longestLifeSeconds,
  onKill,
  seed
}: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-kills-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(directory, "workflows.db")
    const program = yield* workers.bundle
    const { access, proxy } = yield* service.access(sandbox)
    const settings = (from: number, to: number): Settings => ({
      ...access,
      engine: { kind: "sqlite", file },
      itemsPerBatch,
      from,
      to
    })

    const injection = yield* Effect.forkScoped(
      service.injectFaults(sandbox, itemsPerBatch !== undefined)
    )
    const recoveries: Array<number> = []
    const earlier = new Set<string>()
    let earlyKills = 0
    const lastOf = (life: number) => Math.max(0, Math.ceil(life * jobsPerLife))
    for (let kill = 1; kill <= kills; kill++) {
      const own = settings(lastOf(kill - livesInSight) + 1, lastOf(kill))
      const life = yield* oneLife(sandbox, program, own, earlier, longestLifeSeconds)
      if (life.isEarly) earlyKills++
      if (Option.isSome(life.recoveryMillis)) recoveries.push(life.recoveryMillis.value)
      for (const key of jobs(own).flatMap(keysOf)) earlier.add(key)
      yield* onKill?.(kill) ?? Effect.void
    }

    const last = lastOf(kills)
    const jobsKilled = yield* service.keysHeardOf(sandbox)

    // Without new faults, what is still open ends soon.
    yield* Fiber.interrupt(injection)
    yield* sandbox.faults.clear
    yield* proxy.calm
    const whole = settings(1, last)
    const { failures, parked } = yield* workers.finish(whole, program)
    const violations = [...failures, ...(yield* service.violationsIn(sandbox, jobs(whole)))]
    const exchanges = yield* sandbox.exchanges
    const report: Report = {
      kills,
      earlyKills,
      parked,
      jobs: jobs(whole).flatMap(keysOf).length,
      jobsKilled,
      tricks: proxy.tricks(),
      creations: exchanges.filter(({ key }) => key !== undefined).length,
      recoveryMillis: new Map([["from the start of the engine", recoveries.sort((a, b) => a - b)]]),
      databaseBytes: statSync(file).size,
      violations
    }
    return report
  }).pipe(Effect.scoped, Effect.provide(service.layer(seed)), Effect.withRandom(Random.make(seed)))
