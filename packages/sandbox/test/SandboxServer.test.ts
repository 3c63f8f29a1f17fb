import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as EventLoop from "@manilla/test-support/EventLoop"
import { collection, key, overGateway } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Scope from "effect/Scope"
import { request } from "node:http"
import { connect } from "node:net"
import { decodeFailure } from "./utils/harness.js"

const operation = "Payments.create"

const layer = (client: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndici) =>
  overGateway({ retry: { base: "10 millis" } }).pipe(
    Layer.provideMerge(Layer.merge(SandboxServer.layer({ settleAfter: "50 millis" }), client))
  )

const endings = Effect.gen(function* () {
  const { exchanges } = yield* Sandbox.Sandbox
  return (yield* exchanges).filter((one) => one.operation === operation).map(({ ending }) => ending)
})

describe("on sockets", () => {
  for (const [name, client] of [
    ["undici", NodeHttpClient.layerUndici],
    ["node:http", NodeHttpClient.layer]
  ] as const) {
    Test.over(layer(client)).live(
      `a collection completes despite dropped connections (${name})`,
      function* () {
        const payments = yield* Payments.Payments
        const sandbox = yield* Sandbox.Sandbox
        yield* Effect.forEach(
          [
            Fault.dropAfter({ operation, count: 2 }),
            Fault.dropBefore({ operation }),
            Fault.dropBefore({ operation: "Token.obtain" })
          ],
          sandbox.faults.add
        )
        const { operation: _, ...body } = collection
        const wait = { initial: "30 millis" } as const
        const settled = yield* payments.collect(body, { key, wait })
        assert.strictEqual(settled.status, "COMPLETED")
        assert.lengthOf(yield* sandbox.paymentIntents, 1)
        assert.deepStrictEqual(yield* endings, [
          "response lost",
          "response lost",
          "request lost",
          201
        ])
      }
    )
  }

  Test.over(layer()).live("a drop closes the connection without any response", function* () {
    const sandbox = yield* Sandbox.Sandbox
    yield* Effect.forEach([Fault.dropAfter(), Fault.dropBefore()], sandbox.faults.add)
    for (let n = 0; n < 2; n++) {
      const code = yield* Effect.async<string | undefined>((resume) => {
        request(`${sandbox.baseUrl}/services`, () => resume(Effect.succeed("answered")))
          .on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code)))
          .end()
      })
      assert.strictEqual(code, "ECONNRESET")
    }
  })

  Test.over(layer()).live("a caller that leaves ends its exchange, undoing nothing", function* () {
    const payments = yield* Payments.Payments
    const sandbox = yield* Sandbox.Sandbox
    yield* sandbox.faults.add(Fault.delay("1 minute", { operation }))
    const call = yield* payments
      .create(collection, { key })
      .pipe(Logger.withMinimumLogLevel(LogLevel.None), Effect.fork)
    yield* EventLoop.until(sandbox.paymentIntents, ({ length }) => length === 1)
    yield* Fiber.interrupt(call)
    yield* EventLoop.until(endings, ([ending]) => ending !== "open")
    assert.deepStrictEqual(yield* endings, ["caller left"])
    assert.lengthOf(yield* sandbox.paymentIntents, 1)
  })

  Test.over(layer()).live("200 concurrent calls with 20 keys make 20 intents", function* () {
    const payments = yield* Payments.Payments
    const sandbox = yield* Sandbox.Sandbox
    yield* Effect.forEach(
      Array.from({ length: 200 }, (_, n) => IdempotencyKey.derive("order", String(n % 20))),
      (key) => payments.create(collection, { key }),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(yield* sandbox.paymentIntents, 20)
  })

  // Between two requests, it could close a connection on which a request is on its way.
  Test.over(layer()).live("an idle connection is the caller's to close", function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const { headers } = yield* Effect.promise(() => fetch(`${baseUrl}/services`))
    assert.strictEqual(headers.get("connection"), "keep-alive")
    // Node says here after how many seconds it closes one.
    assert.isNull(headers.get("keep-alive"))
  })

  Test.over(layer()).live("an unsupported method gets the error envelope", function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const traced = yield* Effect.async<string>((resume) => {
      request(`${baseUrl}/services`, { method: "TRACE" }, (response) => {
        response.on("data", (chunk) => resume(Effect.succeed(String(chunk))))
      }).end()
    })
    assert.strictEqual(decodeFailure(traced).data.error.code, "UNREADABLE")
  })
})

describe("the scope", () => {
  Test.live("closes immediately, with its connections and ports", function* () {
    const scope = yield* Scope.make()
    const sandbox = yield* SandboxServer.make().pipe(Scope.extend(scope))
    const port = Number(new URL(sandbox.baseUrl).port)
    yield* sandbox.faults.add(Fault.delay("1 minute"))
    const idle = connect(port, "127.0.0.1")
    yield* Effect.async<void>((resume) => {
      idle.once("connect", () => resume(Effect.void))
    })
    const waiting = request(`${sandbox.baseUrl}/services`).end()
    const broken = yield* Effect.forkAll([
      Effect.async<void>((resume) => {
        idle.on("error", () => {}).on("close", () => resume(Effect.void))
      }),
      Effect.async<void>((resume) => {
        waiting.on("error", () => resume(Effect.void))
      })
    ])
    yield* EventLoop.until(sandbox.exchanges, ({ length }) => length === 1)

    const [took] = yield* Effect.timed(Scope.close(scope, Exit.void))
    // Real time: closing must not wait for the delay of one minute.
    assert.isBelow(Duration.toMillis(took), 500)
    yield* Fiber.join(broken)
    yield* Effect.scoped(SandboxServer.make({ port }))
  })

  Test.live("fails to open on a port in use", function* () {
    const { baseUrl } = yield* SandboxServer.make()
    const port = Number(new URL(baseUrl).port)
    const second = yield* Effect.either(SandboxServer.make({ port }))
    assert.isTrue(Either.isLeft(second) && second.left._tag === "ServeError")
  })
})
