/**
 * Error messages: the failure, the origin, the number of attempts, the outcome and the next step.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Logs from "@manilla/test-support/Logs"
import * as Test from "@manilla/test-support/Test"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as TestClock from "effect/TestClock"
import * as retryLoop from "../src/internal/call/retryLoop.js"
import * as messages from "../src/internal/text/messages.js"

const messageOf = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Elapsed.toTheEnd(Effect.flip(effect)), ({ message }) => message)

const written = (...reactions: Parameters<typeof FakeService.make>[0]) =>
  Effect.flatMap(FakeService.make(reactions), ({ calls }) =>
    messageOf(calls.write(FakeService.calls.write))
  )

const writtenOnce = (...reactions: Parameters<typeof FakeService.make>[0]) =>
  Effect.flatMap(FakeService.make(reactions), ({ calls }) =>
    messageOf(calls.writeOnce(FakeService.calls.writeOnce))
  )

const read = (...reactions: Parameters<typeof FakeService.make>[0]) =>
  Effect.flatMap(FakeService.make(reactions), ({ calls }) =>
    messageOf(calls.read(FakeService.calls.read))
  )

const once = "(https://service.invalid/api/v1, 1 attempt in 0.0 s, correlation id c-2)"

describe("the message of", () => {
  Test.effect("a refused write states the outcome and the next step", function* () {
    assert.strictEqual(
      yield* written(FakeService.failure(422)),
      `Things.write failed with status 422 ${once}: SOME_CODE: some words. ` +
        "This request was not applied. Correct the request before you retry. If the key was used before, check " +
        "that earlier request before you choose another key."
    )
  })

  for (const [status, next, isAboutKey] of [
    [400, "Correct the request before you retry.", true],
    [401, "Check the credentials.", false],
    [403, "Check the scopes of the credentials and the state of the account.", false],
    [404, "", false],
    [422, "Correct the request before you retry.", true],
    [429, "Wait before you retry.", false]
  ] as const) {
    Test.effect(`a refusal with ${status} has the next step, a write its outcome`, function* () {
      const refusal = FakeService.failure(status)
      const keyed = yield* written(refusal)
      const safe = yield* read(refusal)
      for (const message of [keyed, yield* writtenOnce(refusal), safe]) {
        assert.include(message, next)
        const isOfKey = isAboutKey && message === keyed
        assert.strictEqual(message.includes("If the key was used before"), isOfKey, message)
        assert.strictEqual(message.includes("was not applied"), message !== safe, message)
      }
    })
  }

  Test.effect("a refusal without words ends after its facts, and keeps empty words", function* () {
    const wordless = FakeService.failure(403, {}, { message: "" })
    const { calls } = yield* FakeService.make([wordless])
    const error = yield* Effect.flip(calls.read(FakeService.calls.read))
    assert(error._tag === "ForbiddenError")
    assert.strictEqual(error.serviceMessage, "")
    assert.include(error.message, `Things.read failed with status 403 ${once}. `)
  })

  for (const status of [400, 401, 403, 404, 422, 429, 503]) {
    Test.effect(`an HTML page with ${status} advises to check the way, and no more`, function* () {
      const message = yield* read({ status, body: "<html>" })
      assert.include(message, "the response is an HTML page, probably of a proxy or a firewall")
      assert.match(
        message,
        /\): the [^.]*\. Check the base URL, and a proxy or a firewall in between\.$/
      )
    })
  }

  for (const [status, isRedirect] of [
    [300, true],
    [302, true],
    [308, true],
    [399, true],
    [405, false]
  ] as const) {
    Test.effect(`a response with ${status} names a redirect: ${isRedirect}`, function* () {
      const message = yield* read({ status })
      assert.strictEqual(message.includes("Redirects are not followed"), isRedirect, message)
    })
  }

  it("a call during which the clock was set back has no negative time", () => {
    const state = retryLoop.sending(retryLoop.start(5000))
    assert.deepStrictEqual(messages.tried("url", state, 2000), ["url", "1 attempt in 0.0 s"])
  })

  Test.effect("a 404 on a path without ids advises to check the base URL", function* () {
    assert.include(yield* written(FakeService.failure(404)), "URL ends with the version")
    assert.notInclude(yield* read(FakeService.failure(404)), "URL ends")
  })

  Test.effect("a 429 states how long to wait", function* () {
    const limited = FakeService.failure(429, { "retry-after": "7200" })
    assert.include(yield* read(limited), "Wait 7200.0 s before you retry.")
  })

  Test.effect("a refused connection contains the origin and the number of attempts", function* () {
    const message = yield* written({ drop: "ECONNREFUSED" })
    assert.include(message, "nothing was sent (ECONNREFUSED, https")
    assert.match(message, /, https:\/\/service\.invalid\/api\/v1, 5 attempts in \d+\.\d s\)/)
    assert.include(message, "Check the base URL")
  })

  Test.effect("an unknown outcome contains the key and the error of the last try", function* () {
    const message = yield* written({ drop: "ECONNRESET" }, FakeService.failure(422))
    assert.match(
      message,
      /^Things\.write: the request may have been applied \(https:\/\/service\.invalid\/api\/v1, 2 attempts in \d+\.\d s\)\. Retry the same request with the same key, "order-42"\. Last attempt: Things\.write failed with status 422 \(correlation id c-2\): SOME_CODE: some words\.$/
    )
  })
})

/** The next step that an unknown outcome must name, with and without a key. */
const steps = {
  keyed: 'Retry the same request with the same key, "order-42"',
  once: "The operation has no idempotency key: check whether it was applied before you retry."
}

describe("after a write that may have been applied, the message", () => {
  for (const [what, reaction, keyed, once] of [
    ["of a lost response", { drop: "ECONNRESET" }, `${steps.keyed}.`, steps.once],
    [
      "of a success that cannot be read",
      FakeService.answer({ id: 1, name: "a thing" }, 201),
      'Do not retry. Its key is "order-42".',
      "Do not retry."
    ]
  ] as const) {
    Test.effect(`${what} names the next step`, function* () {
      assert.include(yield* written(reaction), keyed)
      assert.include(yield* writtenOnce(reaction), once)
    })
  }

  Test.effect("of an interruption names the next step", function* () {
    const { calls } = yield* FakeService.make(["silence"])
    const { capture, messages } = Logs.make()
    const all: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      calls.write(FakeService.calls.write),
      calls.writeOnce(FakeService.calls.writeOnce)
    ]
    for (const call of all) {
      const running = yield* Effect.fork(capture(call))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(running)
    }
    assert.include(messages[0], `${steps.keyed}, to continue.`)
    assert.include(messages[1], steps.once)
  })
})

describe("a retry", () => {
  const isLogged = (retryAfter: string, level: LogLevel.LogLevel, failures = 1) =>
    Effect.gen(function* () {
      let left = failures
      const refusal = FakeService.failure(503, { "retry-after": retryAfter })
      const { calls } = yield* FakeService.make([
        () => Effect.sync(() => (left-- > 0 ? refusal : FakeService.success))
      ])
      const { capture, messages } = Logs.make(level)
      yield* Elapsed.toTheEnd(capture(calls.read(FakeService.calls.read)))
      return messages.some((message) => message.includes("Retrying in"))
    })

  Test.effect("is logged at Info if the call takes over a second, else at Debug", function* () {
    assert.isTrue(yield* isLogged("0", LogLevel.Debug))
    assert.isFalse(yield* isLogged("0", LogLevel.Info))
    assert.isTrue(yield* isLogged("2", LogLevel.Info))
    assert.isFalse(yield* isLogged("0.6", LogLevel.Info))
    assert.isTrue(yield* isLogged("0.6", LogLevel.Info, 2))
  })
})

Test.effect("a printed error has its message, cause and spans, and no inner frames", function* () {
  const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], { retry: { attempts: 1 } })
  const cause = yield* calls
    .write(FakeService.calls.write)
    .pipe(Effect.withSpan("checkout"), Effect.sandbox, Effect.flip)
  const lines = Cause.pretty(cause, { renderErrorCause: true }).split("\n")
  const frames = lines.filter((line) => line.trim().startsWith("at "))
  const names = frames.map((line) => line.trim().split(" ")[1])
  assert.deepStrictEqual(names, ["checkout"])
  const rest = lines.filter((line) => !frames.includes(line)).map((line) => line.trim())
  assert.lengthOf(rest, 3)
  assert.match(rest[0] ?? "", /^OutcomeUnknown: Things\.write: the request may have been applied/)
  assert.match(rest[1] ?? "", /^\[cause\]: TransportError: Things\.write: the connection was lost/)
  assert.strictEqual(rest[2], "}")
})
