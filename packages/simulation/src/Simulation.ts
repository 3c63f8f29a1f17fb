/**
 * One run: the real client and the real rules of the sandbox in one process, with a network, a
 * schedule and a time of chance between them. The same seed gives the same run.
 */
import type { Card } from "@manilla/cards/Card"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as Refund from "@manilla/refunds/Refund"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
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
import * as Spans from "./Spans.js"
import * as Time from "./Time.js"
import * as Trace from "./Trace.js"
import * as Nemesis from "./Nemesis.js"

export interface Report {
  readonly seed: number
  /** What must hold and does not; empty when the run is good. */
  readonly violations: ReadonlyArray<string>
  readonly trace: Pick<Trace.Trace, "lines" | "hash">
  readonly counts: Counts
}

export const nothingCounted = {
  requests: 0,
  processes: 0,
  instructions: 0,
  calls: 0,
  "calls beside others": 0,
  "said applied": 0,
  "said not applied": 0,
  "said unknown": 0
}
export type Counts = Readonly<typeof nothingCounted>
export const counted = Struct.keys(nothingCounted)

/** More steps of time than any run takes: a run that takes more goes on for ever. */
const maxSteps = 10_000

export const run = (seed: number): Report => {
  const chance = Chance.make(seed)
  const time = Time.make(Date.UTC(2026, 0, 31, 12))
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
      Effect.withTracer(Spans.make()),
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
    if (exit === undefined && !time.advance()) break
  }
  schedule.drain()

  const violations = [
    ...(exit === undefined
      ? [ends ? "the run stands still" : "the run does not end"]
      : Exit.match(exit, {
          onSuccess: (found) => found,
          onFailure: (cause) => [`the run failed: ${Cause.pretty(cause)}`]
        })),
    ...(exit === undefined ? [] : left(time, state.network, fibers)),
    ...Array.from(state.network?.defects ?? [], (defect) => `the network died: ${defect}`)
  ]
  const outcomes = state.instructions.flatMap(Workload.outcomes)
  const said = (tag: Workload.Outcome["_tag"]) => outcomes.filter(({ _tag }) => _tag === tag).length
  return {
    seed,
    violations,
    trace,
    counts: {
      requests: state.network?.sent.length ?? 0,
      processes: state.processes,
      instructions: state.instructions.length,
      calls: outcomes.length,
      "calls beside others": besideOthers(state.instructions.flatMap(({ calls }) => calls)),
      "said applied": said("Applied"),
      "said not applied": said("NotApplied"),
      "said unknown": said("Unknown")
    }
  }
}

/** How many of the calls were under way together with another. */
const besideOthers = (calls: ReadonlyArray<Workload.Call>): number =>
  calls.filter((one) =>
    calls.some(
      (other) =>
        other !== one &&
        other.startedMillis < one.endedMillis &&
        one.startedMillis < other.endedMillis
    )
  ).length

/** What is still there after everything was closed. */
const left = (
  time: Time.Time,
  network: Network.Network | undefined,
  fibers: Fibers
): ReadonlyArray<string> =>
  Object.entries({
    sleepers: time.sleepers(),
    connections: network?.open() ?? 0,
    fibers: fibers.alive
  }).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what} left behind`]))

/** Counts the fibers that have begun and not ended. */
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
  /** Rows that were read while there was trouble. */
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

/** How long callers may still take once nothing goes wrong any more, and then everything else. */
const calmBoundMillis = 30 * 60_000

const world = ({ chance, state, time, trace }: World) =>
  Effect.gen(function* () {
    const { client, sandbox } = yield* SandboxClient.make({
      seed: chance.between(0, 2 ** 31),
      settleAfter: chance.between(0, 25_000),
      tokenLifetime: chance.pick([20_000, 90_000, 3_600_000]),
      // Little enough to run dry.
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
      trace.write("world", `process ${old.number} ends, and ${process.number} takes its place`)
      yield* end(old)
    }).pipe(Effect.uninterruptible)

    const surroundings: Workload.Surroundings = {
      process: () => process,
      means: yield* Audit.means(sandbox),
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

    // What can go wrong mostly does so with one instruction already, and with one is soonest found.
    const small = chance.often(0.7)
    const most = (count: number) => (small ? 1 : chance.between(1, count))

    network.trouble()
    const causing = yield* Effect.fork(nemesis.cause)
    const callers = Array.from({ length: most(5) }, () => chance.fork())
    const working = yield* Effect.fork(
      Effect.forEach(callers, (own) => caller(own, most(3), state, surroundings), {
        concurrency: "unbounded",
        discard: true
      })
    )
    // The faults stop when the callers have ended, or in the middle of what they do.
    yield* chance.often(0.5)
      ? Fiber.join(working)
      : Effect.raceFirst(Fiber.join(working), Effect.sleep(chance.between(0, 60_000)))
    yield* Fiber.interrupt(causing)

    network.calm()
    trace.write("world", "calm")
    const faultlessMillis = time.elapsedMillis()
    yield* nemesis.end
    yield* Fiber.join(working)
    const calmMillis = time.elapsedMillis()
    if (calmMillis - faultlessMillis > calmBoundMillis) {
      yield* Effect.fail("callers went on for too long after the faults had stopped")
    }
    // A request for a token that began in trouble fails those who come to it in the calm.
    yield* Effect.repeat(Effect.sleep("10 seconds"), {
      until: () => network.inFlight() === 0 && network.open() === 0
    })
    // A request for a token may wait as long as it was asked to, within its deadline by a clock that
    // was set back; and after it failed the next one waits.
    yield* Effect.sleep("8 minutes")
    for (const instruction of state.instructions) {
      if (Workload.isKeyed(instruction) && Workload.isOpen(instruction)) {
        yield* Workload.call(instruction, surroundings)
      }
    }
    // Whatever went wrong before, what is wanted now is done.
    const latest = Workload.make(state.instructions.length, chance)
    state.instructions.push(latest)
    yield* Workload.call(latest, surroundings)
    // What was called last still has to settle, by a clock that may be minutes behind.
    yield* Effect.sleep("10 minutes")
    // To read everything takes longer than all else in a small run.
    const seen = chance.often(0.1) ? yield* Audit.look(process.client, refunds) : undefined
    if (time.elapsedMillis() - calmMillis > calmBoundMillis) {
      yield* Effect.fail("it took too long after the faults had stopped")
    }
    yield* end(process)

    return yield* Invariants.check({
      sandbox,
      policy,
      means: surroundings.means,
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

/** A caller: one instruction after the other, gone on with while its outcome is unknown. */
const caller = (
  chance: Chance.Chance,
  count: number,
  { instructions, read }: State,
  surroundings: Workload.Surroundings
) =>
  Effect.gen(function* () {
    for (let i = count; i > 0; i--) {
      yield* Effect.sleep(chance.between(0, 20_000))
      const instruction = Workload.make(instructions.length, chance)
      instructions.push(instruction)
      surroundings.trace.write(
        instruction.name,
        `wanted: ${instruction.kind} ${instruction.amount}`
      )
      const once = Effect.suspend(() => impatient(Workload.call(instruction, surroundings), chance))
      // A link that may have been made is not asked for again: it has no key.
      if (!Workload.isKeyed(instruction)) {
        yield* once
        continue
      }
      // Two that have the same idea at once share its key.
      yield* chance.often(0.15) ? Effect.all([once, once], { concurrency: 2 }) : once
      for (let more = 0; more < 3 && goesOn(instruction, chance); more++) {
        yield* Effect.sleep(chance.between(0, 60_000))
        yield* once
      }
      if (chance.often(0.15)) yield* surroundings.process().run(look(chance, read, surroundings))
    }
  })

/** What is unknown is mostly gone on with; what was refused, at times. */
const goesOn = (instruction: Workload.Instruction, chance: Chance.Chance): boolean => {
  const applied = Workload.outcomes(instruction).some(({ _tag }) => _tag === "Applied")
  return chance.often(Workload.isOpen(instruction) ? 0.7 : applied ? 0.05 : 0.3)
}

/** Reads may fail while there is trouble; what they give is true. */
const look = (
  chance: Chance.Chance,
  { cards, transactions }: State["read"],
  { process }: Workload.Surroundings
) =>
  Effect.suspend(() => {
    const { client } = process()
    return chance.often(0.5)
      ? Effect.map(client.transactions().list(), ({ data }) => transactions.push(...data))
      : Effect.map(client.cards().list({ per_page: 2 }), ({ data }) => cards.push(...data))
  }).pipe(Effect.ignore)

/** Some callers do not wait for the end: they go at any moment, and at any step within it. */
const impatient = <A, E, R>(call: Effect.Effect<A, E, R>, chance: Chance.Chance) => {
  if (!chance.often(0.2)) return Effect.asVoid(call)
  const steps = chance.between(0, 60)
  const patience = Effect.sleep(chance.between(0, chance.pick([400, 30_000]))).pipe(
    Effect.zipRight(Effect.repeatN(Effect.yieldNow(), steps))
  )
  return Effect.raceFirst(Effect.asVoid(call), patience)
}
