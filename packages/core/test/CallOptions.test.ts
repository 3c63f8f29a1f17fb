/**
 * The options of one call: its timeout, its retries, and the hook for its response.
 */
import { assert, describe, it } from "@effect/vitest"
import type * as Operation from "@manilla/core/Operation"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

describe("the timeout of a call", () => {
  it.effect("ends the call earlier than the deadline of the policy", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(["silence"])
      const call = calls.read(FakeService.calls.read, { timeout: "2 seconds" })
      const fiber = yield* Effect.fork(Effect.flip(call))
      yield* TestClock.adjust("1999 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
      yield* TestClock.adjust("1 millis")
      const ended = yield* Fiber.poll(fiber)
      assert(Option.isSome(ended))
      assert.strictEqual((yield* ended.value)._tag, "TimeoutError")
    })
  )

  it.effect("is at most withinMillis, and at most the deadline of the policy", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(["silence"], { retry: { deadline: "5 seconds" } })
      for (const [withinMillis, endsAfter] of [
        [2000, "2 seconds"],
        [60_000, "5 seconds"]
      ] as const) {
        const call = calls.read(FakeService.calls.read, { withinMillis })
        const fiber = yield* Effect.fork(Effect.flip(call))
        yield* TestClock.adjust(endsAfter)
        assert.isTrue(Option.isSome(yield* Fiber.poll(fiber)))
      }
    })
  )

  it.effect("gives the call more time than the deadline of the policy", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
        retry: { base: "1 second", cap: "1 second", deadline: "1 second", attempts: 3 }
      })
      const result = yield* Elapsed.toTheEnd(
        Effect.either(calls.read(FakeService.calls.read, { timeout: "1 minute" }))
      )
      assert(result._tag === "Left" && result.left._tag === "TransportError")
      assert.include(result.left.message, "3 attempts")
    })
  )
})

describe("the retry options of a call", () => {
  it.effect("change the policy for this call only", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.failure(503)])
      yield* Elapsed.toTheEnd(
        Effect.either(calls.read(FakeService.calls.read, { retry: { attempts: 2 } }))
      )
      assert.strictEqual(received.length, 2)
      yield* Elapsed.toTheEnd(Effect.either(calls.read(FakeService.calls.read)))
      assert.strictEqual(received.length, 2 + 5)
    })
  )
})

describe("invalid options", () => {
  const cases: ReadonlyArray<readonly [string, Operation.CallOptions]> = [
    ["retry.attempts", { retry: { attempts: 0 } }],
    ["retry.attempts", { retry: { attempts: NaN } }],
    ["retry.base", { retry: { base: "-1 second" as never } }],
    ["retry.attemptTimeout", { retry: { attemptTimeout: 0 } }],
    ["timeout", { timeout: 0 }],
    ["timeout", { timeout: "soon" as never }]
  ]
  for (const [field, options] of cases) {
    it.effect(`fail before anything is sent: ${field} in ${JSON.stringify(options)}`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([FakeService.success])
        const error = yield* Effect.flip(calls.write(FakeService.calls.write, options))
        assert(error._tag === "InvalidRequestError")
        assert.deepStrictEqual(
          error.issues.map((issue) => issue.field),
          [field]
        )
        assert.isEmpty(received)
      })
    )
  }
})

describe("onResponse", () => {
  it.effect("receives the status, the correlation id and the attempts of a success", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }, FakeService.success])
      const responses: Array<Operation.ResponseInfo> = []
      yield* Elapsed.toTheEnd(
        Effect.either(
          calls.write(FakeService.calls.write, {
            onResponse: (info) => Effect.sync(() => responses.push(info))
          })
        )
      )
      assert.deepStrictEqual(responses, [{ status: 200, correlationId: "c-1", attempts: 2 }])
    })
  )

  const broken: ReadonlyArray<readonly [string, () => Effect.Effect<unknown>]> = [
    [
      "throws",
      () => {
        throw new Error("the caller's own")
      }
    ],
    ["dies", () => Effect.die("the caller's own")]
  ]
  for (const [how, onResponse] of broken) {
    it.effect(`does not turn a success into a failure when it ${how}`, () =>
      Effect.gen(function* () {
        const { calls } = yield* FakeService.make([FakeService.success])
        const thing = yield* calls.write(FakeService.calls.write, { onResponse })
        assert.strictEqual(thing.id, "thing-1")
      })
    )
  }

  it.effect("is ended by the deadline of the call, which succeeds", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.success])
      const result = yield* Elapsed.toTheEnd(
        Effect.either(calls.write(FakeService.calls.write, { onResponse: () => Effect.never }))
      )
      assert.strictEqual(result._tag, "Right")
    })
  )

  it.effect("is ended by the deadline of a call that cannot be interrupted", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.success])
      const thing = yield* Elapsed.toTheEnd(
        Effect.uninterruptible(
          calls.write(FakeService.calls.write, { onResponse: () => Effect.never })
        )
      )
      assert.strictEqual(thing.id, "thing-1")
    })
  )

  it.effect("is read before the request is sent", () =>
    Effect.gen(function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      const options = {
        get onResponse(): never {
          throw new Error("the caller's own")
        }
      }
      const exit = yield* Effect.exit(calls.write(FakeService.calls.write, options))
      assert(Exit.isFailure(exit) && Cause.isDie(exit.cause))
      assert.lengthOf(received, 0)
    })
  )

  it.effect("is interrupted with its call, which logs the id of the resource", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
      const { calls } = yield* FakeService.make([FakeService.success])
      const fiber = yield* Effect.fork(
        calls
          .write(FakeService.calls.write, { onResponse: () => Effect.never })
          .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.include(lines.join("\n"), "was applied (id thing-1)")
    })
  )
})

it.effect("a write without any time limit is sent", () =>
  Effect.gen(function* () {
    const { calls, received } = yield* FakeService.make([FakeService.success], {
      retry: { attemptTimeout: Infinity, deadline: Infinity }
    })
    yield* calls.write(FakeService.calls.write)
    assert.strictEqual(received.length, 1)
  })
)
