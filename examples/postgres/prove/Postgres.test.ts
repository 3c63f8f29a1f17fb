/** The programs of the page "Payouts on PostgreSQL": two runners, one of which is killed, and a process that starts payouts. */
import { assert, it } from "@effect/vitest"
import { IdempotencyKey } from "@manilla/core"
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import * as Postgres from "@manilla/test-support/Postgres"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { vi } from "vitest"
import * as FromPromises from "../promises.js"

const settings = Effect.gen(function* () {
  const { authUrl, baseUrl, credentials, wallets } = yield* Sandbox.Sandbox
  const { client_id, client_secret } = yield* credentials
  const [wallet] = yield* wallets
  const { url } = yield* Postgres.server
  return {
    DATABASE_URL: Redacted.value(url),
    MANILLA_WALLET_ID: wallet?.id ?? "",
    MANILLA_BASE_URL: baseUrl,
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: client_id,
    MANILLA_CLIENT_SECRET: Redacted.value(client_secret)
  }
})

/** Runs a program of the page, which is killed with the scope. */
const start = (name: string, env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program = fileURLToPath(new URL(`../${name}.ts`, import.meta.url))
      return spawn(process.execPath, ["--import", "tsx", program, ...args], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "inherit"]
      })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Starts a runner, and waits until it says that it is ready. */
const startRunner = (env: Record<string, string>) =>
  Effect.gen(function* () {
    const port = yield* Postgres.freePort
    const runner = yield* start("runner", { ...env, HEALTH_PORT: `${port}` })
    const look = Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        (response) => response.text(),
        () => "not listening"
      )
    )
    yield* Effect.repeat(Effect.delay(look, "50 millis"), { until: (text) => text === "ready" })
    return runner
  })

const employees = ["E101", "E102", "E103", "E104", "E105", "E106"]

it.scopedLive(
  "payouts are made once, though a runner and the process that started them are killed",
  () =>
    Effect.gen(function* () {
      const env = yield* settings
      const { payouts } = yield* Sandbox.Sandbox
      const [first, second] = [yield* startRunner(env), yield* startRunner(env)]

      const killed = yield* start("start", env, ...employees)
      yield* Effect.repeat(Effect.delay(payouts, "20 millis"), { until: (all) => all.length > 2 })
      killed.kill("SIGKILL")
      first.kill("SIGKILL")

      const again = yield* start("start", env, ...employees)
      const output = yield* Effect.promise(() => text(again.stdout))
      assert.lengthOf(output.match(/is COMPLETED/g) ?? [], employees.length, output)
      const made = yield* payouts
      assert.lengthOf(made, employees.length)

      const ended = once(second, "exit")
      second.kill("SIGTERM")
      assert.strictEqual((yield* Effect.promise(() => ended))[0], 0)
    }).pipe(Effect.provide(SandboxServer.layer({ settleAfter: "2 seconds" }))),
  120_000
)

it.scopedLive("a program with promises starts a payout, and reads its state", () =>
  Effect.gen(function* () {
    const env = yield* settings
    const { payouts } = yield* Sandbox.Sandbox
    vi.stubEnv("DATABASE_URL", env.DATABASE_URL)
    const shop = yield* Effect.acquireRelease(
      Effect.promise(() => FromPromises.open()),
      (shop) => Effect.promise(() => shop.close())
    )
    vi.unstubAllEnvs()
    const key = IdempotencyKey.derive("salary", "2026-11", "E107")
    const payout = {
      key,
      wallet_id: env.MANILLA_WALLET_ID,
      amount: "250000",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567"
    }
    yield* Effect.promise(() => Promise.all([shop.start(payout), shop.start(payout)]))
    const stateNow = Effect.promise(() => shop.stateOf(key))
    assert.strictEqual(yield* stateNow, "open")
    yield* startRunner(env)
    const state = yield* Effect.repeat(Effect.delay(stateNow, "100 millis"), {
      until: (state) => state !== "open"
    })
    assert.strictEqual(state, "paid")
    assert.lengthOf(yield* payouts, 1)
  }).pipe(Effect.provide(SandboxServer.layer({ settleAfter: 0 })))
)
