import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as EventLoop from "@manilla/test-support/EventLoop"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Logs from "@manilla/test-support/Logs"
import * as Test from "@manilla/test-support/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Undici from "undici"
import { FakeDispatcher } from "./utils/FakeDispatcher.js"

type Made = Effect.Effect.Success<ReturnType<typeof FakeService.make>>

/** The warnings of a call that is interrupted after one second. */
const interrupted = (
  reactions: Parameters<typeof FakeService.make>[0],
  call: (calls: Made["calls"]) => Effect.Effect<unknown, unknown>,
  options: FakeService.Options = {}
) =>
  Effect.gen(function* () {
    const { capture, messages } = Logs.make()
    const { calls, received } = yield* FakeService.make(reactions, options)
    const fiber = yield* Effect.fork(capture(call(calls)))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    return { warnings: messages, received }
  })

const tokenless = { tokens: FakeService.tokens(() => Effect.never) }
const slow = { retry: { base: "1 hour", cap: "1 hour", deadline: "10 hours" } } as const

describe("an interrupted call", () => {
  Test.effect("warns with the operation and the key of a write", function* () {
    const { received, warnings } = yield* interrupted(["silence"], (calls) =>
      calls.write(FakeService.calls.write)
    )
    assert.strictEqual(received.length, 1)
    assert.strictEqual(warnings.length, 1)
    assert.include(warnings[0], "Things.write")
    assert.include(warnings[0], FakeService.key)
    assert.notInclude(warnings[0], FakeService.phone)
    assert.notInclude(warnings[0], "token-0")
  })

  Test.effect("warns with the operation of a write without a key", function* () {
    const { warnings } = yield* interrupted(["silence"], (calls) =>
      calls.writeOnce(FakeService.calls.writeOnce)
    )
    assert.strictEqual(warnings.length, 1)
    assert.include(warnings[0], "Things.writeOnce")
    assert.notInclude(warnings[0], "undefined")
  })

  const refused = FakeService.failure(429, { "retry-after": "600" })
  const fast = { retry: { base: 1, cap: 1, deadline: "10 hours" } } as const
  for (const [what, reactions, options, sent, warned] of [
    ["pauses after an attempt that may have been applied", [{ drop: "ECONNRESET" }], slow, 1, 1],
    ["retries a refused request", [FakeService.failure(429), "silence"], fast, 2, 1],
    ["was refused after an attempt in doubt", [{ drop: "ECONNRESET" }, refused], fast, 2, 1],
    ["never got a connection", [{ drop: "ECONNREFUSED" }], slow, 1, 0],
    ["received status 429", [FakeService.failure(429)], slow, 1, 0],
    ["has sent nothing yet", ["silence"], tokenless, 0, 0]
  ] as const) {
    Test.effect(`${warned === 1 ? "warns" : "logs nothing"} when it ${what}`, function* () {
      const { received, warnings } = yield* interrupted(
        reactions,
        (calls) => calls.write(FakeService.calls.write),
        options
      )
      assert.lengthOf(received, sent)
      assert.lengthOf(warnings, warned)
    })
  }

  Test.effect("logs nothing for a read", function* () {
    const { received, warnings } = yield* interrupted(["silence"], (calls) =>
      calls.read(FakeService.calls.read)
    )
    assert.strictEqual(received.length, 1)
    assert.deepStrictEqual(warnings, [])
  })

  Test.effect("logs nothing after it has ended", function* () {
    const { warnings } = yield* interrupted([FakeService.success], (calls) =>
      Effect.zipRight(calls.write(FakeService.calls.write), Effect.never)
    )
    assert.deepStrictEqual(warnings, [])
  })
})

describe("a call in an uninterruptible region", () => {
  for (const reactions of [
    [FakeService.success],
    [{ drop: "ECONNRESET" }, FakeService.success]
  ] as const) {
    Test.effect(`makes ${reactions.length} attempts in an interrupted finalizer`, function* () {
      const { calls, received } = yield* FakeService.make(reactions)
      let id: string | undefined
      const undo = calls.write(FakeService.calls.write).pipe(
        Effect.tap((thing) => Effect.sync(() => (id = thing.id))),
        Effect.ignore
      )
      const fiber = yield* Effect.fork(Effect.onInterrupt(Effect.never, () => undo))
      yield* Effect.yieldNow().pipe(Effect.repeatN(5))
      yield* Elapsed.toTheEnd(Fiber.interrupt(fiber))
      assert.lengthOf(received, reactions.length)
      assert.strictEqual(id, "thing-1")
    })
  }

  const responds = () => Effect.delay(Effect.succeed(FakeService.success), "300 millis")
  for (const [how, duration, reaction, options, end] of [
    ["with its response, not at its deadline", "300 millis", responds, {}, "Success"],
    ["at its deadline without a token", "3 minutes", responds, tokenless, "TokenUnavailableError"],
    ["at the timeout of its attempt", "30 seconds", "silence", {}, "UnkeyedOutcomeUnknown"]
  ] as const) {
    Test.effect(`ends ${how}`, function* () {
      const { calls } = yield* FakeService.make([reaction], options)
      const write = calls
        .writeOnce(FakeService.calls.writeOnce)
        .pipe(
          Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "Success" }),
          Effect.uninterruptible
        )
      assert.strictEqual(yield* Elapsed.during(duration, write), end)
    })
  }
})

/** A client that counts its exchanges and never responds. */
interface Counted {
  readonly client: HttpClient.HttpClient
  readonly begun: () => number
  readonly letGo: () => number
}

const countedClients: Readonly<Record<string, () => Counted>> = {
  "an HttpClient": () => {
    let [begun, letGo] = [0, 0]
    const client = HttpClient.make(() =>
      Effect.suspend(() => {
        begun++
        return Effect.onInterrupt(Effect.never, () => Effect.sync(() => letGo++))
      })
    )
    return { client, begun: () => begun, letGo: () => letGo }
  },
  UndiciClient: () => {
    const dispatcher = new FakeDispatcher()
    return {
      client: UndiciClient.make(dispatcher),
      begun: () => dispatcher.begun,
      letGo: () => dispatcher.aborted
    }
  }
}

/** Makes a write for each step of its fiber, and interrupts it at that step. */
const interruptedAtEachStep = (
  make: () => Effect.Effect<Made>,
  check: (warnings: string, where: string) => void
) =>
  Effect.gen(function* () {
    let step = 0
    for (let wasInterrupted = true; wasInterrupted;) {
      step++
      wasInterrupted = false
      const { calls } = yield* make()
      const { capture, messages } = Logs.make()
      let steps = 0
      const scheduler: Scheduler.Scheduler = {
        shouldYield: (fiber) => {
          if (fiber.id() !== caller.id() || ++steps !== step) return false
          wasInterrupted = true
          fiber.unsafeInterruptAsFork(FiberId.none)
          return 0
        },
        scheduleTask: (task, priority, fiber) =>
          Scheduler.defaultScheduler.scheduleTask(task, priority, fiber)
      }
      const caller = yield* calls
        .write(FakeService.calls.write)
        .pipe(Effect.withScheduler(scheduler), capture, Effect.fork)
      yield* TestClock.adjust("1 millis")
      if (wasInterrupted) {
        assert.isTrue(Option.isSome(yield* Fiber.poll(caller)), `not ended, at step ${step}`)
        check(messages.join(), `at step ${step}`)
      }
      yield* Fiber.interrupt(caller)
    }
    assert.isAbove(step, 30)
  })

for (const [name, make] of Object.entries(countedClients)) {
  it.effect(
    `a call over ${name} that is interrupted at any step aborts its exchange, and warns if it was sent`,
    () => {
      let counted = make()
      return interruptedAtEachStep(
        () => {
          counted = make()
          return Effect.orDie(FakeService.make(["silence"], { through: () => counted.client }))
        },
        (warnings, where) => {
          const begun = counted.begun()
          assert.strictEqual(counted.letGo(), begun, `not let go, ${where}`)
          if (begun > 0) assert.include(warnings, FakeService.key, where)
        }
      )
    }
  )
}

it.effect("a call that is interrupted at any step after an unknown outcome logs a warning", () => {
  let received: ReadonlyArray<FakeService.Received> = []
  return interruptedAtEachStep(
    () =>
      FakeService.make([FakeService.failure(500)], slow).pipe(
        Effect.orDie,
        Effect.tap((made) => Effect.sync(() => (received = made.received)))
      ),
    (warnings, where) => {
      if (received.length > 0) assert.include(warnings, FakeService.key, where)
    }
  )
})

Test.live("a call whose token source ends as it is interrupted logs a warning", function* () {
  const closed = yield* Deferred.make<never, Errors.TokenUnavailableError>()
  let asked = 0
  const tokens = FakeService.tokens(() =>
    asked++ === 0 ? Effect.succeed(FakeService.token) : Deferred.await(closed)
  )
  const { capture, messages } = Logs.make()
  const retry = { base: "1 milli", cap: "1 milli" } as const
  const { calls } = yield* FakeService.make([FakeService.failure(500)], { tokens, retry })
  const caller = yield* Effect.fork(capture(calls.write(FakeService.calls.write)))
  yield* EventLoop.until(
    Effect.sync(() => asked),
    (times) => times === 2
  )
  const error = new Errors.TokenUnavailableError({ operation: "Token.get", message: "closed" })
  yield* Deferred.fail(closed, error)
  yield* Effect.yieldNow().pipe(Effect.repeatN(5))
  yield* Fiber.interrupt(caller)
  assert.include(messages.join(), FakeService.key)
})

Test.effect("an interruption waits until the exchange is aborted", function* () {
  const events: Array<string> = []
  const letGo = Effect.zipRight(
    Effect.sleep("200 millis"),
    Effect.sync(() => events.push("the exchange is aborted"))
  )
  const { calls } = yield* FakeService.make([() => Effect.onInterrupt(Effect.never, () => letGo)])
  const fiber = yield* calls.write(FakeService.calls.write).pipe(
    Effect.onInterrupt(() => Effect.sync(() => events.push("the caller continues"))),
    Effect.fork
  )
  yield* TestClock.adjust("1 second")
  const interrupting = yield* Effect.fork(Fiber.interrupt(fiber))
  yield* TestClock.adjust("1 second")
  yield* Fiber.join(interrupting)
  assert.deepStrictEqual(events, ["the exchange is aborted", "the caller continues"])
})

class Throwing extends Undici.Dispatcher {
  override dispatch(): boolean {
    throw new Error("boom")
  }
}

for (const [what, client] of [
  ["client that dies", HttpClient.make(() => Effect.die("boom"))],
  ["client that interrupts itself", HttpClient.make(() => Effect.interrupt)],
  ["dispatcher that throws", UndiciClient.make(new Throwing())]
] as const) {
  Test.effect(`a ${what} leaves the outcome unknown, and the error has the key`, function* () {
    const { calls } = yield* FakeService.make(["silence"], {
      retry: { attempts: 1 },
      through: () => client
    })
    const error = yield* Effect.flip(calls.write(FakeService.calls.write))
    assert(error._tag === "OutcomeUnknown" && error.cause._tag === "TransportError")
    assert.strictEqual(error.key, FakeService.key)
    // The code shows that the client failed, not the network.
    assert.strictEqual(error.cause.code, "CLIENT_DIED")
  })
}

Test.effect("after a client throws, the error has the key of the earlier attempt", function* () {
  let sent = 0
  const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
    retry: { attempts: 2 },
    through: HttpClient.mapRequestInput((request) => {
      if (++sent === 2) throw new Error("boom")
      return request
    })
  })
  const error = yield* Elapsed.toTheEnd(Effect.flip(calls.write(FakeService.calls.write)))
  assert(error._tag === "OutcomeUnknown")
  assert.strictEqual(error.key, FakeService.key)
})

Test.effect("a body that cannot be aborted does not delay a call beyond its end", function* () {
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
  const write = Effect.flip(calls.write(FakeService.calls.write))
  const error = yield* Elapsed.during("30 seconds", write)
  assert(error._tag === "OutcomeUnknown")
  assert.strictEqual(error.cause._tag, "TimeoutError")
})
