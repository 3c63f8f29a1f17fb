/**
 * Tests of an application with promises, on a sandbox in this process.
 */
import { Promises } from "@manilla/promises"
import { Fault, SandboxClient } from "@manilla/sandbox"
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { checkout } from "./PromiseCheckout.js"

/** A new sandbox, and a client that can reach nothing else. */
const connect = async () => {
  const { client, sandbox } = await Effect.runPromise(SandboxClient.make({ settleAfter: 0 }))
  const { client_id, client_secret } = await Effect.runPromise(sandbox.credentials)
  const manilla = await Promises.make({
    baseUrl: sandbox.baseUrl,
    authUrl: sandbox.authUrl,
    clientId: client_id,
    clientSecret: Redacted.value(client_secret),
    fetch: SandboxClient.toFetch(client),
    // Tests with promises run in real time.
    retry: { base: "1 milli" }
  })
  return {
    manilla,
    inject: (fault: Fault.Fault) => Effect.runPromise(sandbox.faults.add(fault)),
    payments: () => Effect.runPromise(sandbox.paymentIntents)
  }
}

it("three lost responses make one payment", async () => {
  const { inject, manilla, payments } = await connect()
  await inject(Fault.dropAfter({ operation: "Payments.create", count: 3 }))
  assert.strictEqual(await checkout(manilla, "42"), "paid")
  assert.lengthOf(await payments(), 1)
})

it("keeps the key of a payment whose outcome is unknown, and pays once", async () => {
  const { inject, manilla, payments } = await connect()
  await inject(Fault.dropAfter({ operation: "Payments.create", count: 5 }))
  assert.strictEqual(await checkout(manilla, "42"), "repeat later, with the key order:42")
  assert.strictEqual(await checkout(manilla, "42"), "paid")
  assert.lengthOf(await payments(), 1)
})
