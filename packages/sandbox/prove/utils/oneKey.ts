/**
 * Concurrent requests with one idempotency key, over sockets.
 */
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { strict as assert } from "node:assert"
import { Agent, request } from "node:http"

const payment = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290100000000" }
}

/** Sends JSON, and returns the `data` of the response. */
const post = (
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown
) =>
  new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: "POST", headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = ""
        response.on("data", (chunk) => (text += String(chunk)))
        response.on("end", () => resolve(JSON.parse(text).data))
      }
    )
    sent.on("error", reject)
    sent.end(JSON.stringify(body))
  })

export const run = (requests: number) =>
  Effect.gen(function* () {
    const sandbox: Sandbox.Service = yield* SandboxServer.make()
    const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
    // All requests are sent at once, over 200 connections at a time.
    const agent = new Agent({ maxSockets: 200 })
    const credentials = { client_id: clientId, client_secret: Redacted.value(clientSecret) }
    const ids = yield* Effect.promise(async () => {
      const token = `${sandbox.authUrl}/auth/application/token`
      const { access_token } = await post(agent, token, {}, credentials)
      const headers = { authorization: `Bearer ${access_token}`, "idempotency-key": "order-42" }
      const url = `${sandbox.baseUrl}/payments`
      const all = await Promise.all(
        Array.from({ length: requests }, () => post(agent, url, headers, payment))
      )
      agent.destroy()
      return new Set(all.map((data) => data["id"]))
    })
    const made = yield* sandbox.paymentIntents
    assert.deepEqual(
      made.map(({ id }) => id),
      Array.from(ids)
    )
    const replays = (yield* sandbox.exchanges).filter(({ replay }) => replay).length
    assert.equal(replays, requests - 1)
    return { payments: made.length, replays }
  }).pipe(Effect.scoped)
