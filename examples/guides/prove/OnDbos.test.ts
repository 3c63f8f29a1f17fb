/** The program of the page "Which engine", which is killed while its payout is pending, and started again. */
import { assert, it } from "@effect/vitest"
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

it.scopedLive("a payout on DBOS survives kill -9", () =>
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials, payouts, wallets } = yield* Sandbox.Sandbox
    const { client_id, client_secret } = yield* credentials
    const [wallet] = yield* wallets
    const database = yield* Postgres.server
    const env = {
      ...process.env,
      DATABASE_URL: Redacted.value(database.url),
      MANILLA_WALLET_ID: wallet?.id,
      MANILLA_BASE_URL: baseUrl,
      MANILLA_AUTH_URL: authUrl,
      MANILLA_CLIENT_ID: client_id,
      MANILLA_CLIENT_SECRET: Redacted.value(client_secret)
    }
    const program = fileURLToPath(new URL("../OnDbos.ts", import.meta.url))
    const start = Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--import", "tsx", program], {
          env,
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )

    const first = yield* start
    yield* Effect.repeat(Effect.delay(payouts, "20 millis"), { until: (all) => all.length > 0 })
    const ended = once(first, "exit")
    first.kill("SIGKILL")
    yield* Effect.promise(() => ended)

    const second = yield* start
    const output = yield* Effect.promise(() => text(second.stdout))
    assert.include(output, "COMPLETED")
    assert.lengthOf(yield* payouts, 1)
  }).pipe(Effect.provide(SandboxServer.layer({ settleAfter: "3 seconds" })))
)
