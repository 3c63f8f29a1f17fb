/**
 * The options of one call: its timeout, its retries, and `onResponse`.
 */
import { assert, describe } from "@effect/vitest"
import type * as Operation from "@manilla/core/Operation"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Logs from "@manilla/test-support/Logs"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"

describe("the timeout of a call", () => {
  Test.effect("gives the call more time than the deadline of the policy", function* () {
    const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
      retry: { base: "1 second", cap: "1 second", deadline: "1 second", attempts: 3 }
    })
    const result = yield* Elapsed.toTheEnd(
      Effect.either(calls.read(FakeService.calls.read, { timeout: "1 minute" }))
    )
    assert(result._tag === "Left" && result.left._tag === "TransportError")
    assert.include(result.left.message, "3 attempts")
  })
})

describe("the retry options of a call", () => {
  Test.effect("change the policy for this call only", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.failure(503)])
    yield* Elapsed.toTheEnd(
      Effect.either(calls.read(FakeService.calls.read, { retry: { attempts: 2 } }))
    )
    assert.strictEqual(received.length, 2)
    yield* Elapsed.toTheEnd(Effect.either(calls.read(FakeService.calls.read)))
    assert.strictEqual(received.length, 2 + 5)
  })
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
    Test.effect(
      `fail before a request is sent: ${field}, ${JSON.stringify(options)}`,
      function* () {
        const { calls, received } = yield* FakeService.make([FakeService.success])
        const error = yield* Effect.flip(calls.write(FakeService.calls.write, options))
        assert(error._tag === "InvalidRequestError")
        assert.deepStrictEqual(FakeService.fieldsOf(error), [field])
        assert.isEmpty(received)
      }
    )
  }
})

describe("onResponse", () => {
  Test.effect("receives the status, correlation id and attempts of a success", function* () {
    const { calls } = yield* FakeService.make([
      { drop: "ECONNRESET" },
      FakeService.failure(401),
      FakeService.success
    ])
    const responses: Array<Operation.ResponseInfo> = []
    yield* Elapsed.toTheEnd(
      Effect.either(
        calls.write(FakeService.calls.write, { onResponse: (info) => void responses.push(info) })
      )
    )
    assert.deepStrictEqual(responses, [
      { status: 200, correlationId: "c-1", attempts: 3, id: "thing-1", reference: undefined }
    ])
  })

  Test.effect("logs a warning when it throws, and does not fail a success", function* () {
    const { capture, messages } = Logs.make()
    const { calls } = yield* FakeService.make([FakeService.success])
    const onResponse = () => {
      throw new Error("the caller's own")
    }
    const thing = yield* capture(calls.write(FakeService.calls.write, { onResponse }))
    assert.strictEqual(thing.id, "thing-1")
    assert.include(messages.join(), "onResponse threw")
  })
})

// In real time: the timers of a runtime end at once if their time is too long.
Test.live("a write without any time limit is sent once, and waits for its response", function* () {
  const slow = () => Effect.delay(Effect.succeed(FakeService.success), "20 millis")
  const { calls, received } = yield* FakeService.make([slow], {
    retry: { attemptTimeout: Infinity, deadline: Infinity }
  })
  yield* calls.write(FakeService.calls.write)
  assert.strictEqual(received.length, 1)
})
