import { assert, describe, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const key = IdempotencyKey.derive("salary", "2026-11", "employee-7")

const request = {
  wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
  amount: "250000",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: "+2290161234567"
} as const satisfies Payout.PayoutRequest

/** The create shape of interface section 2.5. */
const created = {
  ...request,
  id: "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b",
  reference: "PO-0042",
  amount: "250000.0000",
  status: "PENDING",
  created_at: "2026-01-31T12:00:00.123456Z"
}

const answer = (members: Readonly<Record<string, unknown>> = {}): FakeService.Reflex => ({
  status: 201,
  body: JSON.stringify({ success: true, data: { ...created, ...members } })
})

const make = (reaction: FakeService.Reaction, options: FakeService.Options = {}) =>
  Effect.gen(function* () {
    const { gateway, received } = yield* FakeService.make([reaction], options)
    const payouts = yield* Effect.provideService(Payouts.make, Gateway.Gateway, gateway)
    return { payouts, received }
  })

describe("create", () => {
  it.effect("returns the payout with a redacted destination", () =>
    Effect.gen(function* () {
      const { payouts, received } = yield* make(answer())
      const payout = yield* payouts.create(request, { key })
      assert.strictEqual(payout.reference, "PO-0042")
      assert.strictEqual(payout.amount, "250000.0000")
      assert(payout.destination !== undefined)
      assert.strictEqual(Redacted.value(payout.destination), request.destination)
      assert.deepStrictEqual(JSON.parse(received[0]?.body ?? ""), request)
    })
  )

  it.effect("sends a key of 255 characters", () =>
    Effect.gen(function* () {
      const long = IdempotencyKey.make(`salary-${"7".repeat(248)}`)
      const { payouts, received } = yield* make(FakeService.failure(503), {
        retry: { attempts: 1 }
      })
      const error = yield* Effect.flip(payouts.create(request, { key: long }))
      assert.strictEqual(received[0]?.headers["idempotency-key"], long)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.key, long)
    })
  )

  it.effect("rejects a response for another beneficiary", () =>
    Effect.gen(function* () {
      const { payouts, received } = yield* make(answer({ destination: "+2290199999999" }))
      const fiber = yield* Effect.fork(Effect.flip(payouts.create(request, { key })))
      yield* TestClock.adjust("1 hour")
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "KeyReused", error._tag)
      assert.strictEqual(error.key, key)
      assert.strictEqual(error.reference, "PO-0042")
      assert.deepStrictEqual(error.differs, ["destination"])
      assert.notMatch(error.message, /61234567|99999999/)
      assert.strictEqual(received.length, 2)
    })
  )
})
