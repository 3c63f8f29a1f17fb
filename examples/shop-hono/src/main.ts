/**
 * The same shop with Hono and promises, which runs until you stop it. It uses the service at MANILLA_BASE_URL, or else a sandbox in
 * this process.
 */
import { serve } from "@hono/node-server"
import { Promises } from "@manilla/promises"
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as app from "./app.js"
import * as orders from "./orders.js"
import * as worker from "./worker.js"

const { env } = process

if (env["MANILLA_BASE_URL"] === undefined) {
  const data = { data: "sandbox.data", settleAfter: "8 seconds" } as const
  const sandbox = await ManagedRuntime.make(SandboxServer.layer(data)).runPromise(Sandbox.Sandbox)
  const { client_id, client_secret } = await Effect.runPromise(sandbox.credentials)
  env["MANILLA_BASE_URL"] = sandbox.baseUrl
  env["MANILLA_AUTH_URL"] = sandbox.authUrl
  env["MANILLA_CLIENT_ID"] = client_id
  env["MANILLA_CLIENT_SECRET"] = Redacted.value(client_secret)
  env["MANILLA_ENVIRONMENT"] = "SANDBOX"
  env["SHOP_UNPAID_STATUSES"] ??= "FAILED,CANCELLED,REJECTED,EXPIRED"
  console.log(`The sandbox, with requests, faults and money: ${new URL(sandbox.baseUrl).origin}`)
}

const { MANILLA_BASE_URL, MANILLA_ENVIRONMENT, PORT = "3000", SHOP_UNPAID_STATUSES = "" } = env
if (MANILLA_ENVIRONMENT === undefined) throw new Error("Set MANILLA_ENVIRONMENT: SANDBOX or LIVE")
// One file for each service and environment, so that no order of a sandbox is sent to `LIVE`.
const { hostname } = new URL(MANILLA_BASE_URL ?? "")
const store = await orders.open(`orders-${MANILLA_ENVIRONMENT}-${hostname}.db`)
// The statuses after which a payment cannot succeed any more: ask the service.
const unpaid = worker.statusesOf(SHOP_UNPAID_STATUSES)
void worker.work(store, await Promises.make(), unpaid, new AbortController().signal)
serve({ fetch: app.make(store).fetch, port: Number(PORT), hostname: "127.0.0.1" })
console.log(`Listening on http://127.0.0.1:${PORT}`)
