/**
 * One run: the real client and the real rules of the sandbox in one process, with a network, a
 * schedule and a time of chance between them. The same seed gives the same run.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Random from "effect/Random"
import * as Chance from "./Chance.js"
import * as Intentions from "./Intentions.js"
import * as Invariants from "./Invariants.js"
import * as Network from "./Network.js"
import * as Schedule from "./Schedule.js"
import * as Time from "./Time.js"
import * as Trace from "./Trace.js"

export interface Report {
  readonly seed: number
  /** What must hold and does not; empty when the run is good. */
  readonly violations: ReadonlyArray<string>
  readonly trace: ReadonlyArray<string>
  readonly hash: string
  readonly requests: number
  readonly calls: number
  readonly words: Readonly<Record<Intentions.Word["_tag"], number>>
}

/** More steps of time than any run takes: a run that takes more goes on for ever. */
const maxSteps = 100_000

export const run = async (seed: number): Promise<Report> => {
  const chance = Chance.make(seed)
  const time = Time.make(Date.UTC(2026, 0, 31, 12))
  const schedule = Schedule.make(chance.fork())
  const trace = Trace.make(time)
  const intentions: Array<Intentions.Intention> = []
  let requests = 0

  const fiber = Effect.runFork(
    world({ chance, intentions, time, trace, onRequests: (n) => (requests = n) }).pipe(
      Effect.provideService(
        IdempotencyKey.KeySource,
        Effect.sync(() => chance.uuid())
      ),
      Effect.withRandom(Random.make(seed)),
      Effect.withClock(time.clock),
      // The trace says it all.
      Logger.withMinimumLogLevel(LogLevel.None)
    ),
    { scheduler: schedule }
  )
  let exit: Exit.Exit<ReadonlyArray<string>, unknown> | undefined
  fiber.addObserver((ended) => {
    exit = ended
  })

  let steps = 0
  while (exit === undefined && steps++ < maxSteps) {
    schedule.drain()
    // Promises of the platform, such as the reading of a body, end in turns of their own.
    await new Promise(setImmediate)
    if (schedule.idle() && exit === undefined && !time.advance()) break
  }

  const violations = [
    ...(exit === undefined
      ? [steps < maxSteps ? "the run stands still" : "the run does not end"]
      : Exit.match(exit, {
          onSuccess: (found) => found,
          onFailure: (cause) => [`the run failed: ${Cause.pretty(cause)}`]
        })),
    ...(exit !== undefined && time.sleepers() > 0
      ? [`${time.sleepers()} still wait for a moment after everything was closed`]
      : [])
  ]
  const words = { Applied: 0, NotApplied: 0, Unknown: 0 }
  for (const word of intentions.flatMap((intention) => intention.words)) words[word._tag]++
  return {
    seed,
    violations,
    trace: trace.lines,
    hash: trace.hash(),
    requests,
    calls: words.Applied + words.NotApplied + words.Unknown,
    words
  }
}

interface World {
  readonly chance: Chance.Chance
  readonly time: Time.Time
  readonly trace: Trace.Trace
  readonly intentions: Array<Intentions.Intention>
  readonly onRequests: (requests: number) => void
}

/** How long everything may take once nothing goes wrong any more. */
const calmBoundMillis = 30 * 60_000

const world = ({ chance, intentions, onRequests, time, trace }: World) =>
  Effect.gen(function* () {
    const { client, sandbox } = yield* SandboxClient.make({
      seed: chance.between(0, 2 ** 31),
      settleAfter: chance.between(0, 60_000)
    })
    const network = Network.make(client, chance.fork(), trace)
    const services = Payments.layer.pipe(
      Layer.provide(
        SandboxGateway.layer({
          retry: { attempts: chance.between(1, 5), budget: chance.pick([0, 3, 100]) }
        })
      ),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, network.client)),
      Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox))
    )

    yield* Effect.gen(function* () {
      const troubles = yield* Effect.fork(trouble(sandbox, chance.fork(), time, trace))
      const callers = Array.from({ length: chance.between(1, 5) }, () => chance.fork())
      yield* Effect.forEach(
        callers.entries(),
        ([number, own]) => caller(number, own, intentions, trace),
        { concurrency: "unbounded", discard: true }
      )
      yield* Fiber.interrupt(troubles)

      network.calm()
      trace.write("world", "calm")
      const calmMillis = time.nowMillis()
      for (const intention of intentions.filter(Intentions.isOpen)) {
        yield* Intentions.call(intention, trace)
      }
      yield* Effect.repeat(Effect.sleep("10 seconds"), { until: () => network.inFlight() === 0 })
      // What was called last still has to settle.
      yield* Effect.sleep("2 minutes")
      if (time.nowMillis() - calmMillis > calmBoundMillis) {
        yield* Effect.fail("it took too long after the faults had stopped")
      }
    }).pipe(Effect.provide(services))

    onRequests(network.requests())
    return yield* Invariants.check(sandbox, intentions)
  })

/** A caller: one intention after the other, gone on with while its outcome is unknown. */
const caller = (
  number: number,
  chance: Chance.Chance,
  intentions: Array<Intentions.Intention>,
  trace: Trace.Trace
) =>
  Effect.gen(function* () {
    for (let i = chance.between(1, 3); i > 0; i--) {
      yield* Effect.sleep(chance.between(0, 20_000))
      const intention = Intentions.make(intentions.length, chance)
      intentions.push(intention)
      trace.write(`caller ${number}`, `wants ${intention.name} (${intention.kind})`)
      const once = Effect.suspend(() => impatient(Intentions.call(intention, trace), chance))
      // Two that have the same idea at once share its key.
      yield* chance.often(0.15) ? Effect.all([once, once], { concurrency: 2 }) : once
      for (let more = 0; more < 3 && Intentions.isOpen(intention) && chance.often(0.7); more++) {
        yield* Effect.sleep(chance.between(0, 60_000))
        yield* once
      }
    }
  })

/** Some callers do not wait for the end. */
const impatient = <A, E, R>(call: Effect.Effect<A, E, R>, chance: Chance.Chance) =>
  chance.often(0.15)
    ? Effect.asVoid(Effect.timeoutOption(call, chance.between(0, 30_000)))
    : Effect.asVoid(call)

/** What goes wrong at the service itself, and with the time. */
const trouble = (
  sandbox: Sandbox.Service,
  chance: Chance.Chance,
  time: Time.Time,
  trace: Trace.Trace
) =>
  Effect.gen(function* () {
    for (let i = chance.between(0, 4); i > 0; i--) {
      yield* Effect.sleep(chance.between(0, 40_000))
      if (chance.often(0.6)) {
        trace.write("service", "revokes every token")
        yield* sandbox.revokeTokens
      } else {
        const millis = chance.between(1000, 3_600_000)
        trace.write("clock", `jumps by ${millis} ms`)
        time.jump(millis)
      }
    }
  })
