/**
 * The service of this example, in a process of its own that survives the example: a sandbox with random
 * faults. It writes its addresses to the file in its argument, and ends after 15 minutes, or when asked to.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Amount, Currency } from "@manilla/core"
import { Fault, Sandbox, SandboxServer } from "@manilla/sandbox"
import { Effect, Random, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { currency } from "../payroll/Payroll.js"

const injectFaults = ({ faults, revokeTokens }: Sandbox.Service) =>
  Effect.gen(function* () {
    const operation = "Payouts.create"
    const fault = yield* Random.choice([
      faults.add(Fault.dropAfter({ operation, count: 6 })),
      faults.add(Fault.status(503, { operation, count: 4, processed: true })),
      faults.add(Fault.body("<html>", { operation })),
      faults.add(Fault.dropAfter({ operation: "Payouts.get", count: 5 })),
      revokeTokens
    ])
    // Faults that met no request do not pile up.
    yield* faults.clear
    yield* fault
    yield* Effect.sleep("500 millis")
  }).pipe(Effect.forever)

const program = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
  const [wallet] = yield* sandbox.wallets
  const environment = {
    MANILLA_BASE_URL: sandbox.baseUrl,
    MANILLA_AUTH_URL: sandbox.authUrl,
    MANILLA_CLIENT_ID: clientId,
    MANILLA_CLIENT_SECRET: Redacted.value(clientSecret),
    MANILLA_ENVIRONMENT: "SANDBOX",
    MANILLA_PAGE_PARAMETER: Sandbox.pageParameter,
    MANILLA_WALLET_ID: wallet?.id ?? ""
  }
  const file = process.argv[2] ?? ""
  writeFileSync(file, JSON.stringify({ pid: process.pid, environment }), { mode: 0o600 })
  yield* Effect.timeoutOption(injectFaults(sandbox), "15 minutes")
})

program.pipe(
  Effect.provide(
    SandboxServer.layer({
      settleAfter: "4 seconds",
      wallets: [
        {
          currency: Currency.Currency.make(currency),
          balance: Amount.Amount.make("100000000.0000")
        }
      ]
    })
  ),
  NodeRuntime.runMain
)
