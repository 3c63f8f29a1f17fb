/** The command of a runner, over HTTP and with signals, in real time. */
import { assert, describe, it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Command from "@manilla/workflows/command"
import * as Engine from "@manilla/workflows/Engine"
import { layerMemory } from "@manilla/workflows/memory"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as files from "./utils/files.js"
import * as service from "./utils/service.js"
import * as workers from "./utils/workers.js"

const health = (port: number) =>
  Effect.promise(() => fetch(`http://127.0.0.1:${port}/health`)).pipe(
    Effect.flatMap((answer) =>
      Effect.map(
        Effect.promise(() => answer.text()),
        (text) => `${answer.status} ${text}`
      )
    )
  )

const until = (port: number, expected: string) =>
  Effect.repeat(Effect.delay(health(port), "20 millis"), { until: (text) => text === expected })

/** An engine in memory that starts and ends when it is told. */
const controlled = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  let isHealthy = true
  const runner = Layer.scoped(
    Engine.Runner,
    Effect.acquireRelease(
      Effect.as(Deferred.await(started), { isHealthy: Effect.sync(() => isHealthy) }),
      () => Deferred.await(ended)
    )
  )
  return {
    started,
    ended,
    engine: Layer.merge(layerMemory, runner),
    setHealthy: (is: boolean) =>
      Effect.sync(() => {
        isHealthy = is
      })
  }
})

const run = (engine: Effect.Effect.Success<typeof controlled>["engine"], port: number) =>
  Command.run({
    engine,
    workflows: Layer.empty,
    health: { host: "127.0.0.1", port },
    drainTimeout: "2 seconds"
  })

describe("a runner", () => {
  it.live("is ready only between its start and its end", () =>
    Effect.gen(function* () {
      const { ended, engine, setHealthy, started } = yield* controlled
      const port = yield* Postgres.freePort
      const fiber = yield* Effect.fork(run(engine, port))
      yield* Effect.retry(health(port).pipe(Effect.catchAllDefect(Effect.fail)), { times: 50 })
      yield* until(port, "503 starting")
      yield* Deferred.succeed(started, undefined)
      yield* until(port, "200 ready")
      yield* setHealthy(false)
      yield* until(port, "503 not healthy")
      const ending = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* until(port, "503 draining")
      yield* Deferred.succeed(ended, undefined)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.join(ending)))
    })
  )

  it.live("that does not end in time is a typed error", () =>
    Effect.gen(function* () {
      const { engine, started } = yield* controlled
      const port = yield* Postgres.freePort
      yield* Deferred.succeed(started, undefined)
      const fiber = yield* Effect.fork(run(engine, port))
      yield* Effect.retry(
        health(port).pipe(
          Effect.catchAllDefect(Effect.fail),
          Effect.filterOrFail((text) => text === "200 ready"),
          Effect.delay("20 millis")
        ),
        { times: 50 }
      )
      const exit = yield* Fiber.interrupt(fiber)
      const error = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
      assert.strictEqual(Option.getOrUndefined(error)?._tag, "DrainTimeout")
    })
  )
})

describe("a process", () => {
  it.live(
    "that receives SIGTERM hands its payments over, and ends with code 0",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const access = yield* service.access(sandbox)
        const program = yield* workers.bundle
        const healthPort = yield* Postgres.freePort
        const file = yield* files.database
        const settings = {
          ...access,
          engine: { kind: "sqlite", file },
          from: 1,
          to: 9
        } as const
        const first = yield* workers.start({ ...settings, healthPort }, program)
        yield* Deferred.await(first.ready)
        yield* until(healthPort, "200 ready")
        // Some are being made, and some wait.
        yield* Effect.repeat(Effect.delay(sandbox.payouts, "20 millis"), {
          until: (made) => made.length > 0
        })
        yield* first.signal("SIGTERM")
        assert.strictEqual(yield* first.exited, 0)
        assert.deepStrictEqual(yield* workers.finish(settings, program), [])
        assert.lengthOf(yield* sandbox.payouts, 3)
        assert.lengthOf(yield* sandbox.paymentIntents, 3)
        assert.lengthOf(yield* sandbox.cards, 3)
      }).pipe(Effect.scoped, Effect.provide(service.layer(1))),
    // Five seconds on an idle machine.
    120_000
  )
})
