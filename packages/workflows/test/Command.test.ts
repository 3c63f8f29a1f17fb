/** The command of a runner, over HTTP, in real time. */
import { assert, describe } from "@effect/vitest"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Test from "@manilla/test-support/Test"
import * as Engine from "@manilla/workflow-engine/Engine"
import { layerMemory } from "@manilla/workflow-engine/memory"
import * as Command from "@manilla/workflows/command"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as health from "./utils/health.js"

/** An engine in memory that starts and ends when it is told. */
const controlled = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  let isHealthy = true
  const runner = Layer.scoped(
    Engine.Engine,
    Effect.acquireRelease(
      Effect.zipRight(
        Deferred.await(started),
        Effect.map(Engine.Engine, (engine) => ({
          ...engine,
          isHealthy: Effect.sync(() => isHealthy)
        }))
      ),
      () => Deferred.await(ended)
    )
  )
  return {
    started,
    ended,
    engine: Layer.provideMerge(runner, layerMemory),
    setHealthy: (is: boolean) =>
      Effect.sync(() => {
        isHealthy = is
      })
  }
})

const run = (
  engine: Effect.Effect.Success<typeof controlled>["engine"],
  port: number,
  operate?: Parameters<typeof Command.run>[0]["operate"]
) =>
  Command.run({
    engine,
    workflows: Layer.empty,
    operate,
    health: { host: "127.0.0.1", port },
    drainTimeout: "2 seconds"
  })

describe("a runner", () => {
  Test.live("is ready only between its start and its end", function* () {
    const { ended, engine, setHealthy, started } = yield* controlled
    const port = yield* Postgres.freePort
    const fiber = yield* Effect.fork(run(engine, port))
    yield* health.until(port, "503 starting")
    yield* Deferred.succeed(started, undefined)
    yield* health.until(port, "200 ready")
    yield* setHealthy(false)
    yield* health.until(port, "503 not healthy")
    const ending = yield* Effect.fork(Fiber.interrupt(fiber))
    yield* health.until(port, "503 draining")
    yield* Deferred.succeed(ended, undefined)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.join(ending)))
  })

  Test.live("says when it is ready, and where its page is", function* () {
    const { ended, engine, started } = yield* controlled
    const [port, healthPort] = [yield* Postgres.freePort, yield* Postgres.freePort]
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    const operate = { port, token: Redacted.make("open sesame") }
    const fiber = yield* run(engine, healthPort, operate).pipe(
      Effect.fork,
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    yield* health.until(healthPort, "503 starting")
    assert.deepStrictEqual(logged, [])
    yield* Deferred.succeed(started, undefined)
    yield* health.until(healthPort, "200 ready")
    yield* Deferred.succeed(ended, undefined)
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(logged, [
      [`The runner is ready. Its page is http://127.0.0.1:${port}/.`]
    ])
  })

  Test.live("that does not end in time is a typed error", function* () {
    const { engine, started } = yield* controlled
    const port = yield* Postgres.freePort
    yield* Deferred.succeed(started, undefined)
    const fiber = yield* Effect.fork(run(engine, port))
    yield* health.until(port, "200 ready")
    const exit = yield* Fiber.interrupt(fiber)
    const error = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
    assert.strictEqual(Option.getOrUndefined(error)?._tag, "DrainTimeout")
  })

  Test.live("serves its operations to bearers of the token, and to nobody else", function* () {
    const { ended, engine, started } = yield* controlled
    yield* Deferred.succeed(started, undefined)
    yield* Deferred.succeed(ended, undefined)
    const port = yield* Postgres.freePort
    const ask = (method: string, path: string, token: string) =>
      Effect.promise(async () => {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await fetch(`http://127.0.0.1:${port}/workflows/${path}`, {
          method,
          headers
        })
        return `${answer.status} ${await answer.text()}`
      })
    const withToken = (token: Redacted.Redacted | undefined) =>
      Effect.gen(function* () {
        const healthPort = yield* Postgres.freePort
        yield* Effect.forkScoped(run(engine, healthPort, { port, token }))
        yield* health.until(healthPort, "200 ready")
      })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* withToken(Redacted.make("open sesame"))
        assert.strictEqual(yield* ask("GET", "list", "open sesame"), "200 ")
        for (const wrong of ["", "open", "open sesame!"]) {
          assert.match(yield* ask("GET", "list", wrong), /^401 /)
          assert.match(yield* ask("POST", "interrupt?key=a", wrong), /^401 /)
        }
        const none = yield* ask("POST", "resume?key=a", "open sesame")
        assert.match(none, /^404 no execution or batch has the key "a"/)
        assert.match(yield* ask("GET", "list?limit=0", "open sesame"), /^400 /)
        // A link on a page cannot change anything.
        assert.match(yield* ask("GET", "resume?key=a", "open sesame"), /^404 /)
        // Its page has no state, so it needs no token.
        for (const [file, part] of [
          ["", "Manilla workflows"],
          ["page/bundle.js", "sessionStorage"],
          ["page/bundle.css", "color-scheme"]
        ] as const) {
          const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/${file}`))
          const policy = answer.headers.get("content-security-policy")
          assert.include(yield* Effect.promise(() => answer.text()), part)
          assert.match(policy ?? "", /default-src 'none'.*require-trusted-types-for 'script'/)
        }
      })
    )
    for (const none of [undefined, Redacted.make("")]) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* withToken(none)
          const refused = yield* Effect.exit(ask("GET", "list", ""))
          assert.isTrue(Exit.isFailure(refused))
        })
      )
    }
  })
})
