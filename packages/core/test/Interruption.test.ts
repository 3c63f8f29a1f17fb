import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Tracer from "effect/Tracer"
import * as interruption from "../src/internal/interruption.js"
import * as FakeService from "./utils/FakeService.js"

type Made = Effect.Effect.Success<ReturnType<typeof FakeService.make>>

/** The warnings of a call that is interrupted one second after it began. */
const interrupted = (
  reactions: Parameters<typeof FakeService.make>[0],
  call: (calls: Made["calls"]) => Effect.Effect<unknown, unknown>,
  options: FakeService.Options = {}
) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel._tag === "Warning") warnings.push(String(message))
    })
    const { calls, received } = yield* FakeService.make(reactions, options)
    const fiber = yield* call(calls).pipe(Effect.provide(Logger.add(logger)), Effect.fork)
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
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
          Effect.withTracer(tracer(end === "attempt" ? { event: interrupt } : { end: interrupt })),
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

/** A tracer that runs something, then and there, when a span is told something. */
const tracer = (run: { readonly event?: () => void; readonly end?: () => void }): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      spanId: "0123456789abcdef",
      traceId: "0123456789abcdef0123456789abcdef",
      parent,
      context,
      links,
      kind,
      sampled: true,
      attributes: new Map(),
      status: { _tag: "Started", startTime },
      attribute: () => {},
      event: run.event ?? (() => {}),
      addLinks: () => {},
      end: run.end ?? (() => {})
    }),
    context: (run) => run()
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
})

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
