/**
 * The kill test of a long payroll: a worker process stores it as one batch on SQLite and pays it, and is killed
 * while it stores and while it pays. At the end, each row must have been paid exactly once.
 */
import * as Files from "@manilla/test-support/Files"
import type * as Batch from "@manilla/workflows/Batch"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { statSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import * as payroll from "./payrollRows.js"
import * as payrollService from "./payrollService.js"
import * as workers from "./workers.js"

export interface Options {
  readonly rows: number
  /** The first one while the rows are stored, the others while they are paid. */
  readonly kills: number
  readonly seed: number
  /** If given, a worker that takes longer from its start to its first request is a violation. */
  readonly longestRecoveryMillis?: number | undefined
  /** Called after each kill, and with the progress every minute. */
  readonly onStep?: ((text: string) => Effect.Effect<void>) | undefined
}

/** Fails if the worker ends before an effect does. */
const whileAlive = <A>(worker: workers.Worker, self: Effect.Effect<A>) =>
  Effect.raceFirst(self, Effect.zipRight(Deferred.await(worker.ended), Effect.never))

const until = (worker: workers.Worker, isSo: () => boolean) =>
  whileAlive(worker, Effect.repeat(Effect.sleep("20 millis"), { until: isSo }))

/** A process sends nothing so soon after its start: such a request is of the one before it. */
const inFlight = "50 millis"

export const run = ({
  kills,
  onStep = () => Effect.void,
  longestRecoveryMillis = Infinity,
  rows,
  seed
}: Options) =>
  Effect.gen(function* () {
    const startMillis = yield* Clock.currentTimeMillis
    const file = yield* Files.database
    const program = yield* workers.bundleOf("payrollWorker.ts")
    const service = yield* payrollService.make(rows)
    const notedRow = Math.floor(rows * (yield* Random.nextRange(0.2, 0.9)))
    const settings: payroll.Settings = { ...service.credentials, file, rows, notedRow }
    const startsMillis: Array<number> = []
    const recoveriesMillis: Array<number> = []
    let sendingMillis = startMillis
    let secondsToStore = 0

    yield* Effect.suspend(() => onStep(`${service.applied()} of ${rows} rows paid`)).pipe(
      Effect.delay("1 minute"),
      Effect.forever,
      Effect.forkScoped
    )

    const start = Effect.gen(function* () {
      const bornMillis = yield* Clock.currentTimeMillis
      const worker = yield* workers.start(settings, program)
      const readyMillis = yield* whileAlive(worker, Deferred.await(worker.ready))
      startsMillis.push(readyMillis - bornMillis)
      return { bornMillis, readyMillis, worker }
    })

    /** A worker that has sent its first request. */
    const sending = Effect.gen(function* () {
      const isFirst = service.applied() === 0
      yield* Effect.sleep(inFlight)
      const requests = service.requests()
      const { bornMillis, readyMillis, worker } = yield* start
      yield* until(worker, () => service.requests() > requests)
      const now = yield* Clock.currentTimeMillis
      if (isFirst) {
        sendingMillis = now
        secondsToStore = (now - readyMillis) / 1_000
      } else recoveriesMillis.push(now - bornMillis)
      return worker
    })

    for (let kill = 1; kill <= kills; kill++) {
      const paid = rows * ((kill - 1 + (yield* Random.nextRange(-0.3, 0.3))) / kills)
      yield* Effect.gen(function* () {
        if (kill > 1) return yield* until(yield* sending, () => service.applied() >= paid)
        const { worker } = yield* start
        yield* until(worker, () => worker.ends.has("noted"))
      }).pipe(Effect.scoped)
      yield* onStep(`kill ${kill}, with ${service.applied()} of ${rows} rows paid`)
    }

    const last = yield* sending
    yield* Deferred.await(last.ended)
    const endMillis = yield* Clock.currentTimeMillis
    const told = (part: string) => JSON.parse(last.ends.get(part) ?? "null")
    const summary: Batch.Summary = told("paid")
    const results: payroll.Sum = told("results")
    const memory: payroll.Memory = told("memory")
    const secondsToCompare: number = told("stored")

    const sum = service.sum()
    const expected = { count: rows, amount: payroll.amountOf(rows) }
    const longestMillis = Math.max(0, ...recoveriesMillis)
    const rules: Record<string, boolean> = {
      [`the batch ended as ${JSON.stringify(summary)}`]: summary.completed === rows,
      [`the service paid ${JSON.stringify(sum)}, not ${JSON.stringify(expected)}`]:
        sum.count === expected.count && sum.amount === expected.amount,
      [`the results are ${JSON.stringify(results)}, the service paid ${JSON.stringify(sum)}`]:
        isDeepStrictEqual(results, sum),
      [`a recovery took ${longestMillis} ms`]: longestMillis <= longestRecoveryMillis
    }
    const broken = Object.keys(rules).filter((rule) => rules[rule] === false)
    return {
      rows,
      kills,
      seconds: Math.round((endMillis - startMillis) / 1_000),
      secondsToStore,
      /** The last process was given the same rows again, and compared them while it paid. */
      secondsToCompare,
      itemsPerSecond: Math.round((1_000 * rows) / (endMillis - sendingMillis)),
      recoveryMillis: new Map([
        ["from the start of a process to its engine", startsMillis.sort((a, b) => a - b)],
        // Of processes after one that had sent requests.
        ["from the start of a process to its first request", recoveriesMillis.sort((a, b) => a - b)]
      ]),
      ...memory,
      creations: service.creations(),
      requests: service.requests(),
      faults: service.injected(),
      databaseBytes: statSync(file).size,
      violations: [...service.violations, ...broken]
    }
  }).pipe(Effect.scoped, Effect.withRandom(Random.make(seed)))
