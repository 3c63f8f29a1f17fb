/** The command of a runner, with a signal, in real time. */
import { assert, it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Files from "@manilla/test-support/Files"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as health from "../test/utils/health.js"
import * as service from "./utils/service.js"
import * as workers from "./utils/workers.js"

it.live(
  "a process that receives SIGTERM hands its payments over, and ends with code 0",
  () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { access } = yield* service.access(sandbox)
      const program = yield* workers.bundle
      const healthPort = yield* Postgres.freePort
      const file = yield* Files.database
      const settings = { ...access, engine: { kind: "sqlite", file }, from: 1, to: 9 } as const
      const first = yield* workers.start({ ...settings, healthPort }, program)
      yield* Deferred.await(first.ready)
      yield* health.until(healthPort, "200 ready")
      // Some are being made, and some wait.
      yield* Effect.repeat(Effect.delay(sandbox.payouts, "20 millis"), {
        until: (made) => made.length > 0
      })
      yield* first.signal("SIGTERM")
      assert.strictEqual(yield* first.exited, 0)
      assert.deepStrictEqual((yield* workers.finish(settings, program)).failures, [])
      assert.lengthOf(yield* sandbox.payouts, 3)
      assert.lengthOf(yield* sandbox.paymentIntents, 3)
      assert.lengthOf(yield* sandbox.cards, 3)
    }).pipe(Effect.scoped, Effect.provide(service.layer(1))),
  // Five seconds on an idle machine.
  120_000
)
