import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { runInNewContext } from "node:vm"
import * as interruption from "../src/internal/interruption.js"
import * as FakeService from "./utils/FakeService.js"
import * as Spans from "./utils/Spans.js"

type Made = Effect.Effect.Success<ReturnType<typeof FakeService.make>>

/** The warnings of a call that is interrupted one second after it began. */
const interrupted = (
  reactions: Parameters<typeof FakeService.make>[0],
  call: (calls: Made["calls"]) => Effect.Effect<unknown, unknown>,
  options: FakeService.Options = {},
  endsWithin: Duration.DurationInput = 0
) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel._tag === "Warning") warnings.push(String(message))
    })
    const { calls, received } = yield* FakeService.make(reactions, options)
    const fiber = yield* call(calls).pipe(Effect.provide(Logger.add(logger)), Effect.fork)
    yield* TestClock.adjust("1 second")
    yield* Fiber.interruptFork(fiber)
    yield* TestClock.adjust(endsWithin)
    yield* Fiber.await(fiber)
    return { warnings, received }
  })

const slow = { retry: { base: "1 hour", cap: "1 hour", deadline: "10 hours" } } as const

describe("an interrupted call", () => {
  it.effect("that writes warns with its operation and its key", () =>
    Effect.gen(function* () {
      const { received, warnings } = yield* interrupted(["silence"], (calls) =>
        calls.write(FakeService.calls.write)
      )
      assert.strictEqual(received.length, 1)
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "Things.write")
      assert.include(warnings[0], FakeService.key)
    })
  )

  it.effect("that writes without a key warns with its operation", () =>
    Effect.gen(function* () {
      const { warnings } = yield* interrupted(["silence"], (calls) =>
        calls.writeOnce(FakeService.calls.writeOnce)
      )
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "Things.writeOnce")
      assert.notInclude(warnings[0], "undefined")
    })
  )

  it.effect("shows nothing of its request", () =>
    Effect.gen(function* () {
      const { warnings } = yield* interrupted(["silence"], (calls) =>
        calls.write(FakeService.calls.write)
      )
      assert.notInclude(warnings.join(), FakeService.phone)
      assert.notInclude(warnings.join(), "token-0")
    })
  )

  it.effect("warns too when it waits to send again what may have been applied", () =>
    Effect.gen(function* () {
      const { received, warnings } = yield* interrupted(
        [{ drop: "ECONNRESET" }],
        (calls) => calls.write(FakeService.calls.write),
        slow
      )
      assert.strictEqual(received.length, 1)
      assert.strictEqual(warnings.length, 1)
    })
  )

  for (const [what, reactions] of [
    ["sends again what was refused", [FakeService.failure(429), "silence"]],
    [
      "was refused after an attempt that may have been applied",
      [{ drop: "ECONNRESET" }, FakeService.failure(429, { "retry-after": "600" })]
    ]
  ] as const) {
    it.effect(`warns too when it ${what}`, () =>
      Effect.gen(function* () {
        const { received, warnings } = yield* interrupted(
          reactions,
          (calls) => calls.write(FakeService.calls.write),
          { retry: { base: 1, cap: 1, deadline: "10 hours" } }
        )
        assert.strictEqual(received.length, 2)
        assert.strictEqual(warnings.length, 1)
      })
    )
  }

  it.effect("that reads says nothing", () =>
    Effect.gen(function* () {
      const { received, warnings } = yield* interrupted(["silence"], (calls) =>
        calls.read(FakeService.calls.read)
      )
      assert.strictEqual(received.length, 1)
      assert.deepStrictEqual(warnings, [])
    })
  )

  for (const [what, reaction] of [
    ["never got a connection", { drop: "ECONNREFUSED" }],
    ["was answered 429", FakeService.failure(429)]
  ] as const) {
    it.effect(`does not cry wolf when it ${what}`, () =>
      Effect.gen(function* () {
        const { received, warnings } = yield* interrupted(
          [reaction],
          (calls) => calls.write(FakeService.calls.write),
          slow
        )
        assert.strictEqual(received.length, 1)
        assert.deepStrictEqual(warnings, [])
      })
    )
  }

  it.effect("says nothing before it was sent", () =>
    Effect.gen(function* () {
      const { received, warnings } = yield* interrupted(
        ["silence"],
        (calls) => calls.write(FakeService.calls.write),
        { tokens: { get: Effect.never, reject: () => Effect.void } }
      )
      assert.strictEqual(received.length, 0)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("that has ended says nothing", () =>
    Effect.gen(function* () {
      const { warnings } = yield* interrupted([FakeService.success], (calls) =>
        Effect.zipRight(calls.write(FakeService.calls.write), Effect.never)
      )
      assert.deepStrictEqual(warnings, [])
    })
  )

  /** What a write warns of that is interrupted while its tracer hears of an end. */
  const interruptedAt = (end: "attempt" | "call", reaction: FakeService.Reaction) =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel._tag === "Warning") warnings.push(String(message))
      })
      const { calls } = yield* FakeService.make(
        [reaction],
        end === "attempt" ? slow : { retry: { attempts: 1 } }
      )
      const go = yield* Deferred.make<void>()
      let ends = 0
      const interrupt = () => {
        ends++
        fiber.unsafeInterruptAsFork(FiberId.none)
      }
      const write = calls
        .write(FakeService.calls.write)
        .pipe(
          Effect.withTracer(
            Spans.tracer(end === "attempt" ? { event: interrupt } : { end: interrupt })
          ),
          Effect.provide(Logger.add(logger))
        )
      const fiber = yield* Effect.fork(Effect.zipRight(Deferred.await(go), write))
      yield* Deferred.succeed(go, undefined)
      const exit = yield* Fiber.await(fiber)
      assert.isAbove(ends, 0)
      return { exit, warnings }
    })

  for (const [what, reaction] of [
    ["success", FakeService.success],
    ["500", FakeService.failure(500)],
    ["broken connection", { drop: "ECONNRESET" }],
    [
      "success that cannot be read",
      { status: 201, body: `{"success":true,"data":{"name":"a thing"}}` }
    ]
  ] as const) {
    for (const end of ["attempt", "call"] as const) {
      it.effect(`warns, or tells what came of it, when its ${end} ends with a ${what}`, () =>
        Effect.gen(function* () {
          const { exit, warnings } = yield* interruptedAt(end, reaction)
          // What is interrupted does not get to handle its failure.
          const isTold = Exit.isSuccess(exit) || !Cause.isInterrupted(exit.cause)
          assert.isTrue(warnings.length === 1 || isTold, "not a word")
        })
      )
    }
  }
})

it.effect("a failure that an interruption joins is warned of as well", () =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => warnings.push(String(message)))
    const go = yield* Deferred.make<void>()
    const fiber: Fiber.RuntimeFiber<never, string> = yield* Deferred.await(go).pipe(
      Effect.zipRight(Effect.fail("failed")),
      Effect.ensuring(Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none))),
      interruption.warn(() => "interrupted"),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.fork
    )
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.await(fiber)
    assert.deepStrictEqual(warnings, ["interrupted"])
  })
)

describe("a call where nothing may interrupt", () => {
  it.effect("is made though its fiber was interrupted before: where something is undone", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      let told: string | undefined
      const undo = calls.write(FakeService.calls.write).pipe(
        Effect.tap(({ data }) => Effect.sync(() => (told = data.id))),
        Effect.ignore
      )
      const fiber = yield* Effect.fork(Effect.onInterrupt(Effect.never, () => undo))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(received, 1)
      assert.strictEqual(told, "thing-1")
    })
  )

  it.effect("is tried again though its fiber was interrupted meanwhile", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([
        { drop: "ECONNRESET" },
        FakeService.success
      ])
      let told: string | undefined
      const fiber = yield* calls.write(FakeService.calls.write).pipe(
        Effect.tap(({ data }) => Effect.sync(() => (told = data.id))),
        Effect.uninterruptible,
        Effect.fork
      )
      yield* Effect.yieldNow()
      yield* Fiber.interruptFork(fiber)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.await(fiber)
      assert.lengthOf(received, 2)
      assert.strictEqual(told, "thing-1")
    })
  )

  it.effect("ends as soon as its answer comes, and not with its attempt's time", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([
        () => Effect.delay(Effect.succeed(FakeService.success), "300 millis")
      ])
      const fiber = yield* calls
        .write(FakeService.calls.write)
        .pipe(Effect.uninterruptible, Effect.fork)
      yield* TestClock.adjust("300 millis")
      assert.isTrue(Option.isSome(yield* Fiber.poll(fiber)))
    })
  )

  it.effect("keeps its answer when it is interrupted all the same", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([
        () => Effect.delay(Effect.succeed(FakeService.success), "300 millis")
      ])
      let told: string | undefined
      const fiber = yield* calls.write(FakeService.calls.write).pipe(
        Effect.tap(({ data }) => Effect.sync(() => (told = data.id))),
        Effect.uninterruptible,
        Effect.fork
      )
      yield* TestClock.adjust("100 millis")
      const interrupting = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* TestClock.adjust("200 millis")
      yield* Fiber.join(interrupting)
      assert.strictEqual(told, "thing-1")
    })
  )

  /** What a call ends with that nothing interrupts, however long it takes. */
  const uninterrupted = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const fiber = yield* call.pipe(Effect.either, Effect.uninterruptible, Effect.fork)
      yield* TestClock.adjust("20 minutes")
      return yield* Fiber.join(fiber)
    })

  const late =
    (reflex: FakeService.Reflex): FakeService.Reaction =>
    () =>
      Effect.as(Effect.sleep("31 seconds"), reflex)

  for (const [how, call] of [
    ["has a key", (calls: Made["calls"]) => calls.write(FakeService.calls.write)],
    ["has none", (calls: Made["calls"]) => calls.writeOnce(FakeService.calls.writeOnce)]
  ] as const) {
    it.effect(`believes a success that came late, and sends it once: where it ${how}`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([late(FakeService.success)])
        assert.isTrue(Either.isRight(yield* uninterrupted(call(calls))))
        assert.lengthOf(received, 1)
      })
    )

    it.effect(`believes a refusal that came late, and sends it once: where it ${how}`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([late(FakeService.failure(422))])
        const ended = yield* uninterrupted(call(calls))
        assert.isTrue(Either.isLeft(ended) && ended.left._tag === "Unprocessable")
        assert.lengthOf(received, 1)
      })
    )
  }

  const tokensAfter = (...waits: ReadonlyArray<Duration.DurationInput>): BearerTokens.Service => {
    let asked = 0
    return {
      get: Effect.suspend(() => Effect.sleep(waits[asked++] ?? 0)).pipe(
        Effect.as({ value: Redacted.make("token"), environment: "SANDBOX", scopes: [] })
      ),
      reject: () => Effect.void
    }
  }

  it.effect("is not begun with a token that comes after its deadline", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success], {
        tokens: tokensAfter("200 seconds")
      })
      const ended = yield* uninterrupted(calls.writeOnce(FakeService.calls.writeOnce))
      assert.isTrue(Either.isLeft(ended) && ended.left._tag === "TokenUnavailable")
      assert.lengthOf(received, 0)
    })
  )

  it.effect("has its whole time for itself after a token that took too long", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make(
        [() => Effect.as(Effect.sleep("29 seconds"), FakeService.success)],
        { tokens: tokensAfter("100 seconds") }
      )
      const ended = yield* uninterrupted(calls.writeOnce(FakeService.calls.writeOnce))
      assert.isTrue(Either.isRight(ended))
      assert.deepStrictEqual(
        received.map(({ atMillis }) => atMillis),
        [100_000]
      )
    })
  )
})

/** The warnings of a write as a whole, which is interrupted while it waits for its answer. */
const warningsWithin = (
  reflex: FakeService.Reflex,
  within: (write: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const { warnings } = yield* interrupted(
      [() => Effect.as(Effect.sleep("2 seconds"), reflex)],
      (calls) => within(calls.write(FakeService.calls.write)),
      { retry: { attempts: 1 } },
      "3 seconds"
    )
    return warnings
  })

for (const [how, within] of [
  ["Effect.uninterruptible", Effect.uninterruptible<unknown, unknown, never>],
  [
    "Effect.acquireRelease",
    (write: Effect.Effect<unknown, unknown>) =>
      Effect.scoped(Effect.acquireRelease(write, () => Effect.void))
  ]
] as const) {
  for (const [end, reflex, told] of [
    ["that ends unknown", { drop: "ECONNRESET" }, 1],
    ["that was applied", FakeService.success, 1],
    ["that was refused", FakeService.failure(422), 0]
  ] as const) {
    it.effect(`an interrupted write ${end} within ${how} is told ${told} times`, () =>
      Effect.gen(function* () {
        const warnings = yield* warningsWithin(reflex, within)
        assert.lengthOf(warnings, told)
        for (const warning of warnings) assert.include(warning, FakeService.key)
      })
    )
  }
}

it.effect("a logger that throws takes no outcome away", () =>
  Effect.gen(function* () {
    const logger = Logger.make(() => {
      throw new Error("EPIPE")
    })
    const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }])
    const call = yield* calls
      .write(FakeService.calls.write)
      .pipe(
        Effect.flip,
        Effect.provide(Logger.add(logger)),
        Logger.withMinimumLogLevel(LogLevel.Debug),
        Effect.fork
      )
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* Fiber.join(call))._tag, "OutcomeUnknown")
  })
)

it.effect("a call that is interrupted, between whichever operations, sends nothing after it", () =>
  Effect.gen(function* () {
    let step = 0
    for (let wasInterrupted = true; wasInterrupted;) {
      step++
      wasInterrupted = false
      const { calls, received } = yield* FakeService.make(["silence"])
      let sentBefore = 0
      let steps = 0
      const scheduler: Scheduler.Scheduler = {
        shouldYield: (fiber) => {
          if (fiber.id() !== caller.id() || ++steps !== step) return false
          sentBefore = received.length
          wasInterrupted = true
          fiber.unsafeInterruptAsFork(FiberId.none)
          return 0
        },
        scheduleTask: (task, priority, fiber) =>
          Scheduler.defaultScheduler.scheduleTask(task, priority, fiber)
      }
      const caller = yield* calls
        .write(FakeService.calls.write)
        .pipe(Effect.withScheduler(scheduler), Effect.fork)
      yield* TestClock.adjust("1 millis")
      if (wasInterrupted) {
        assert.lengthOf(received, sentBefore, `sent after it, at step ${step}`)
        assert.isTrue(Option.isSome(yield* Fiber.poll(caller)), `not ended, at step ${step}`)
      }
      yield* Fiber.interrupt(caller)
    }
    assert.isAbove(step, 30)
  })
)

it.effect("an interrupted caller goes on when its exchange has been let go, not before", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const letGo = Effect.zipRight(
      Effect.sleep("200 millis"),
      Effect.sync(() => events.push("the exchange is let go"))
    )
    const { calls } = yield* FakeService.make([() => Effect.onInterrupt(Effect.never, () => letGo)])
    const fiber = yield* calls.write(FakeService.calls.write).pipe(
      Effect.onInterrupt(() => Effect.sync(() => events.push("the caller goes on"))),
      Effect.fork
    )
    yield* TestClock.adjust("1 second")
    const interrupting = yield* Effect.fork(Fiber.interrupt(fiber))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(interrupting)
    assert.deepStrictEqual(events, ["the exchange is let go", "the caller goes on"])
  })
)

for (const [what, ending] of [
  ["dies", Effect.die("boom")],
  ["interrupts itself", Effect.interrupt]
] as const) {
  it.effect(
    `a client that ${what} with the request leaves its outcome unknown, and its key told`,
    () =>
      Effect.gen(function* () {
        const { calls } = yield* FakeService.make([() => ending], { retry: { attempts: 1 } })
        const error = yield* Effect.flip(calls.write(FakeService.calls.write))
        assert(error._tag === "OutcomeUnknown" && error.cause._tag === "TransportFault")
        assert.strictEqual(error.key, FakeService.key)
        // Not a fault of the network: whoever reads it looks at the client.
        assert.strictEqual(error.cause.code, "CLIENT_DIED")
      })
  )
}

it.effect("a write whose attempt another interrupts is not silent", () =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => warnings.push(String(message)))
    const { calls } = yield* FakeService.make(["silence"])
    const call = yield* calls
      .write(FakeService.calls.write)
      .pipe(Effect.provide(Logger.add(logger)), Effect.fork)
    yield* TestClock.adjust("1 second")
    yield* Effect.flatMap(Fiber.children(call), Fiber.interruptAll)
    yield* Fiber.await(call)
    assert.include(warnings.join(), FakeService.key)
  })
)

it.effect("a client that throws before it sends leaves the key told of what was sent before", () =>
  Effect.gen(function* () {
    let sent = 0
    const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
      retry: { attempts: 2 },
      through: HttpClient.mapRequestInput((request) => {
        if (++sent === 2) throw new Error("boom")
        return request
      })
    })
    const call = yield* Effect.fork(Effect.flip(calls.write(FakeService.calls.write)))
    yield* TestClock.adjust("1 minute")
    const error = yield* Fiber.join(call)
    assert(error._tag === "OutcomeUnknown")
    assert.strictEqual(error.key, FakeService.key)
  })
)

/** A client whose answers have a body of this. */
const bodies = (chunk: unknown) => (client: HttpClient.HttpClient) =>
  HttpClient.transformResponse(
    client,
    Effect.map((response) =>
      Object.create(response, {
        stream: { value: Stream.make(chunk) },
        status: { value: response.status },
        headers: { value: response.headers }
      })
    )
  )

it.effect("a body of bytes of another realm is read", () =>
  Effect.gen(function* () {
    const bytes: unknown = runInNewContext("Uint8Array.from(bytes)", {
      bytes: new TextEncoder().encode(
        JSON.stringify({ success: true, data: { id: "thing-9", status: "PENDING" } })
      )
    })
    const { calls } = yield* FakeService.make([FakeService.success], { through: bodies(bytes) })
    assert.strictEqual((yield* calls.write(FakeService.calls.write)).data.id, "thing-9")
  })
)

it.effect(
  "a body that is never let go holds up nobody, not who waits for all children either",
  () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.success], {
        retry: { attempts: 1 },
        through: (client) =>
          HttpClient.transformResponse(
            client,
            Effect.map((response) =>
              Object.create(response, {
                stream: { value: Stream.ensuring(Stream.never, Effect.never) },
                headers: { value: response.headers }
              })
            )
          )
      })
      const call = yield* calls
        .write(FakeService.calls.write)
        .pipe(Effect.flip, Effect.awaitAllChildren, Effect.forkDaemon)
      yield* TestClock.adjust("10 minutes")
      const ended = yield* Fiber.poll(call)
      assert.isTrue(Option.isSome(ended))
    })
)

it.effect("a client whose bodies are no bytes leaves the outcome unknown", () =>
  Effect.gen(function* () {
    const { calls } = yield* FakeService.make([FakeService.success], {
      retry: { attempts: 1 },
      through: bodies("text")
    })
    const error = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert(error._tag === "OutcomeUnknown" && error.cause._tag === "TransportFault")
    assert.strictEqual(error.cause.code, "CLIENT_DIED")
  })
)
