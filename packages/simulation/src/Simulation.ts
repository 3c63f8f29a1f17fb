/**
 * One run: the real client and the real rules of the sandbox in one process, with a simulated
 * network, scheduler and clock. The same seed gives the same run.
 */
import type { Card } from "@manilla/cards/Card"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as Refund from "@manilla/refunds/Refund"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Spans from "@manilla/test-support/Spans"
import type { Transaction } from "@manilla/transactions/Transaction"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRefs from "effect/FiberRefs"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Random from "effect/Random"
import * as Struct from "effect/Struct"
import * as Supervisor from "effect/Supervisor"
import * as Audit from "./Audit.js"
import * as Chance from "./Chance.js"
import * as Workload from "./Workload.js"
import * as Invariants from "./Invariants.js"
import type { Logged } from "./invariants/Evidence.js"
import * as Network from "./Network.js"
import * as Process from "./Process.js"
import * as Schedule from "./Schedule.js"
import * as Time from "@manilla/test-support/Time"
import * as Trace from "./Trace.js"
import * as Nemesis from "./Nemesis.js"

export interface Report {
  readonly seed: number
  /** The violated invariants; empty when the run passes. */
  readonly violations: ReadonlyArray<string>
  readonly trace: Pick<Trace.Trace, "lines" | "hash">
  readonly counts: Counts
  /** The writes of which a call reported that it was applied. */
  readonly applied: ReadonlySet<ServiceApi.WriteName>
}

export const zeroCounts = {
  requests: 0,
  processes: 0,
  instructions: 0,
  calls: 0,
  "reported applied": 0,
  "reported not applied": 0,
  "reported unknown": 0
}
export type Counts = Readonly<typeof zeroCounts>
export const countNames = Struct.keys(zeroCounts)

/** More clock steps than any run needs: a run that takes more does not end. */
const maxSteps = 10_000

export const run = (seed: number): Report => {
  const chance = Chance.make(seed)
  const time = Time.make({ startMillis: Date.UTC(2026, 0, 31, 12), wakes: "all" })
  const schedule = Schedule.make(chance.fork())
  const trace = Trace.make(time)
  const fibers = new Fibers()
  const state: State = {
    instructions: [],
    logs: [],
    read: { cards: [], transactions: [] },
    network: undefined,
    processes: 0,
    processEndsMillis: new Map()
  }

  const fiber = Effect.runFork(
    world({ chance, state, time, trace }).pipe(
      Effect.supervised(fibers),
      Effect.withRandom(Random.make(seed)),
      Effect.withClock(time.clock),
      Effect.withTracer(Spans.tracer({}, spanIds())),
      Logger.withMinimumLogLevel(LogLevel.Warning),
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ context, logLevel, message }) => {
            state.logs.push({
              call: FiberRefs.getOrDefault(context, Network.currentCall),
              level: logLevel.label,
              message: String(message)
            })
          })
        )
      )
    ),
    { scheduler: schedule }
  )
  let exit: Exit.Exit<ReadonlyArray<string>, unknown> | undefined
  fiber.addObserver((ended) => {
    exit = ended
  })

  let steps = 0
  let ends = true
  while (exit === undefined && ends) {
    ends = schedule.drain() && steps++ < maxSteps
    if (exit === undefined && !time.wakeNext()) break
  }
  schedule.drain()

  const violations = [
    ...(exit === undefined
      ? [ends ? "the run deadlocked" : "the run does not end"]
      : Exit.match(exit, {
          onSuccess: (found) => found,
          onFailure: (cause) => [`the run failed: ${Cause.pretty(cause)}`]
        })),
    ...(exit === undefined ? [] : leaks(time, state.network, fibers)),
    ...Array.from(state.network?.defects ?? [], (defect) => `a defect in the network: ${defect}`)
  ]
  const outcomes = state.instructions.flatMap(Workload.outcomes)
  const reported = (tag: Workload.Reported["_tag"]) =>
    outcomes.filter(({ _tag }) => _tag === tag).length
  return {
    seed,
    violations,
    trace,
    applied: new Set(
      state.instructions
        .filter((instruction) =>
          Workload.outcomes(instruction).some(({ _tag }) => _tag === "Applied")
        )
        .map(({ write }) => write)
    ),
    counts: {
      requests: state.network?.sent.length ?? 0,
      processes: state.processes,
      instructions: state.instructions.length,
      calls: outcomes.length,
      "reported applied": reported("Applied"),
      "reported not applied": reported("NotApplied"),
      "reported unknown": reported("Unknown")
    }
  }
}

/** Sequential span ids. The `traceparent` header then shows which attempts belong to one call. */
const spanIds = () => {
  let made = 0
  return () => String(++made).padStart(16, "0")
}

/** Resources that are still held after everything was closed. */
const leaks = (
  time: Time.Time,
  network: Network.Network | undefined,
  fibers: Fibers
): ReadonlyArray<string> =>
  Object.entries({
    sleepers: time.sleepers(),
    connections: network?.open() ?? 0,
    fibers: fibers.alive
  }).flatMap(([resource, count]) => (count === 0 ? [] : [`${count} ${resource} leaked`]))

/** Counts the fibers that have started and not ended. */
class Fibers extends Supervisor.AbstractSupervisor<void> {
  alive = 0
  override readonly value = Effect.void
  override onStart() {
    this.alive++
  }
  override onEnd() {
    this.alive--
  }
}

interface State {
  readonly instructions: Array<Workload.Instruction>
  readonly logs: Array<Logged>
  /** Rows that were read while faults were injected. */
  readonly read: { readonly cards: Array<Card>; readonly transactions: Array<Transaction> }
  network: Network.Network | undefined
  processes: number
  readonly processEndsMillis: Map<number, number>
}

interface World {
  readonly chance: Chance.Chance
  readonly time: Time.Time
  readonly trace: Trace.Trace
  readonly state: State
}

/** How long callers may take after the faults have stopped, and again everything after them. */
const calmBoundMillis = 30 * 60_000

const world = ({ chance, state, time, trace }: World) =>
  Effect.gen(function* () {
    const { client, sandbox } = yield* SandboxClient.make({
      seed: chance.between(0, 2 ** 31),
      settleAfter: chance.between(0, 25_000),
      tokenLifetime: chance.pick([20_000, 90_000, 3_600_000]),
      // Low enough to run out.
      wallets: [
        {
          currency: Currency.Currency.make("XOF"),
          balance: Amount.Amount.make(String(chance.between(0, 12_000)))
        },
        {
          currency: Currency.Currency.make("USD"),
          balance: Amount.Amount.make(String(chance.between(0, 40)))
        }
      ]
    })
    const network = Network.make(client, chance.fork(), time, trace)
    state.network = network
    const policy: RetryPolicy.RetryPolicy = {
      ...RetryPolicy.defaults,
      attempts: chance.between(1, 5),
      budget: chance.pick([0, 2, RetryPolicy.defaults.budget]),
      attemptTimeout: chance.pick([5000, 30_000]),
      deadline: chance.pick([20_000, 180_000])
    }
    trace.write("world", () => `policy ${JSON.stringify(policy)}`)

    const startProcess = Effect.suspend(() =>
      Process.start({ sandbox, network, policy, number: state.processes++ })
    )
    const end = (process: Process.Process) =>
      Effect.zipRight(
        process.end,
        Effect.sync(() => state.processEndsMillis.set(process.number, time.elapsedMillis()))
      )
    let process = yield* startProcess
    const restart = Effect.gen(function* () {
      const old = process
      process = yield* startProcess
      trace.write("world", `process ${old.number} ends, process ${process.number} replaces it`)
      yield* end(old)
    }).pipe(Effect.uninterruptible)

    const environment: Workload.Environment = {
      process: () => process,
      means: yield* Audit.means({ sandbox, client: process.client }),
      time,
      trace
    }
    const refunds: Array<Refund.Refund> = []
    const nemesis = Nemesis.make({
      sandbox,
      network,
      chance: chance.fork(),
      time,
      trace,
      instructions: state.instructions,
      refunds,
      restart
    })

    // Most faults show with a single instruction, and a small run is fast.
    const small = chance.often(0.7)
    const most = (count: number) => (small ? 1 : chance.between(1, count))

    network.startFaults()
    const nemesisFiber = yield* Effect.fork(nemesis.run)
    const callers = Array.from({ length: most(5) }, () => chance.fork())
    const callersFiber = yield* Effect.fork(
      Effect.forEach(callers, (callerChance) => caller(callerChance, most(3), state, environment), {
        concurrency: "unbounded",
        discard: true
      })
    )
    // The faults stop after the callers have ended, or while they still run.
    yield* chance.often(0.5)
      ? Fiber.join(callersFiber)
      : Effect.raceFirst(Fiber.join(callersFiber), Effect.sleep(chance.between(0, 60_000)))
    yield* Fiber.interrupt(nemesisFiber)

    network.heal()
    trace.write("world", "healed")
    const faultlessMillis = time.elapsedMillis()
    yield* nemesis.heal
    yield* Fiber.join(callersFiber)
    const calmMillis = time.elapsedMillis()
    if (calmMillis - faultlessMillis > calmBoundMillis) {
      yield* Effect.fail("callers did not end in time after the faults had stopped")
    }
    // A token request that began under faults can fail calls that join it later.
    yield* Effect.repeat(Effect.sleep("10 seconds"), {
      until: () => network.inFlight() === 0 && network.open() === 0
    })
    // A token request honours `Retry-After` within its deadline, on a clock that may have been set back,
    // and the request after a failed one is delayed.
    yield* Effect.sleep("8 minutes")
    for (const instruction of state.instructions) {
      if (Workload.isKeyed(instruction) && Workload.isUnknown(instruction)) {
        yield* Workload.runCall(instruction, environment)
      }
    }
    // A new instruction must succeed, whatever failed before.
    const latest = Workload.make(state.instructions.length, chance)
    state.instructions.push(latest)
    yield* Workload.runCall(latest, environment)
    // The last payment still has to settle, on a clock that may be minutes behind.
    yield* Effect.sleep("10 minutes")
    // Reading everything would dominate the time of a small run.
    const seen = chance.often(0.1) ? yield* Audit.look(process.client, refunds) : undefined
    if (time.elapsedMillis() - calmMillis > calmBoundMillis) {
      yield* Effect.fail("the run did not end in time after the callers had ended")
    }
    yield* end(process)

    return yield* Invariants.check({
      sandbox,
      policy,
      means: environment.means,
      calmMillis,
      processEndsMillis: state.processEndsMillis,
      sent: network.sent,
      instructions: state.instructions,
      logs: state.logs,
      clockWasSet: nemesis.clockWasSet(),
      read: state.read,
      seen
    })
  })

/** A caller runs its instructions in sequence, and repeats a call while the outcome is unknown. */
const caller = (
  chance: Chance.Chance,
  count: number,
  { instructions, read }: State,
  environment: Workload.Environment
) =>
  Effect.gen(function* () {
    for (let i = count; i > 0; i--) {
      yield* Effect.sleep(chance.between(0, 20_000))
      const instruction = Workload.make(instructions.length, chance)
      instructions.push(instruction)
      environment.trace.write(
        instruction.name,
        `instruction: ${instruction.kind} ${instruction.amount}`
      )
      const attempt = Effect.suspend(() =>
        impatient(Workload.runCall(instruction, environment), chance)
      )
      // Links have no key, so the call is not repeated.
      if (!Workload.isKeyed(instruction)) {
        yield* attempt
        continue
      }
      // Two concurrent calls for one instruction share its key.
      yield* chance.often(0.15) ? Effect.all([attempt, attempt], { concurrency: 2 }) : attempt
      for (let more = 0; more < 3 && repeats(instruction, chance); more++) {
        yield* Effect.sleep(chance.between(0, 60_000))
        yield* attempt
      }
      if (chance.often(0.15)) yield* environment.process().run(look(chance, read, environment))
    }
  })

/** A caller repeats most calls with an unknown outcome, and some refused calls. */
const repeats = (instruction: Workload.Instruction, chance: Chance.Chance): boolean => {
  const applied = Workload.outcomes(instruction).some(({ _tag }) => _tag === "Applied")
  return chance.often(Workload.isUnknown(instruction) ? 0.7 : applied ? 0.05 : 0.3)
}

/** Reads may fail under faults, but the rows they return must be correct. */
const look = (
  chance: Chance.Chance,
  { cards, transactions }: State["read"],
  { process }: Workload.Environment
) =>
  Effect.suspend(() => {
    const { client } = process()
    return chance.often(0.5)
      ? Effect.map(client.transactions().list(), ({ data }) => transactions.push(...data))
      : Effect.map(client.cards().list({ per_page: 2 }), ({ data }) => cards.push(...data))
  }).pipe(Effect.ignore)

/** Some callers interrupt their call, at any time and at any step. */
const impatient = <A, E, R>(call: Effect.Effect<A, E, R>, chance: Chance.Chance) => {
  if (!chance.often(0.2)) return Effect.asVoid(call)
  const steps = chance.between(0, 60)
  const patience = Effect.sleep(chance.between(0, chance.pick([400, 30_000]))).pipe(
    Effect.zipRight(Effect.repeatN(Effect.yieldNow(), steps))
  )
  return Effect.raceFirst(Effect.asVoid(call), patience)
}
