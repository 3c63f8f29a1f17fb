import { assert, describe, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as FakeService from "@manilla/test-support/FakeService"
import { key, layer, payoutFrom, walletIn } from "@manilla/test-support/Sandboxed"
import { traces } from "@manilla/test-support/Observed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"

describe("the wait of disburse", () => {
  it.effect("still names the payout when the caller wipes the number of what was read", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const request = payoutFrom(yield* walletIn("XOF"))
      const until = ({ destination }: Payout.Payout) => {
        if (destination !== undefined) Redacted.unsafeWipe(destination)
        return false
      }
      const waiting = yield* payouts
        .disburse(request, { key, wait: { until, deadline: "10 seconds" } })
        .pipe(Effect.flip, Effect.fork)
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(waiting)
      assert(error._tag === "PayoutStillPending")
      assert.strictEqual(error.reference, error.last?.reference)
    }).pipe(Effect.provide(layer({ settleAfter: "1 hour" })))
  )

  it.effect("shows no phone number in the error that ends it", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const request = payoutFrom(yield* walletIn("XOF"))
      const error = yield* payouts
        .disburse(request, { key, wait: { deadline: 0 } })
        .pipe(Effect.flip)
      assert(error._tag === "PayoutStillPending")
      for (const shown of [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)]) {
        assert.notInclude(shown, request.destination)
      }
      assert.strictEqual(
        error.last?.destination && Redacted.value(error.last.destination),
        request.destination
      )
    }).pipe(Effect.provide(layer({ settleAfter: "1 hour" })))
  )
})

describe("a token that the service repeats as the reference", () => {
  it.effect("is not in the error that ends the wait of disburse", () =>
    Effect.gen(function* () {
      const request = payoutFrom(yield* walletIn("XOF"))
      const token = "eyJhbGciOiJSUzI1NiJ9.Y2FuYXJ5LXRva2Vu.kR9xWq-sT_4vZ"
      const sent = `${token}0`
      const answer = {
        success: true,
        data: { ...request, reference: sent, status: "PENDING" }
      }
      const { gateway } = yield* FakeService.make([{ status: 201, body: JSON.stringify(answer) }], {
        token
      })
      const payouts = yield* Effect.provideService(Payouts.make, Gateway.Gateway, gateway)
      const error = yield* payouts
        .disburse(request, { key, wait: { deadline: 0 } })
        .pipe(Effect.flip)
      assert(error._tag === "PayoutStillPending", error.message)
      for (const shown of [inspect(error, { depth: 9 }), JSON.stringify(error), error.reference]) {
        assert.deepStrictEqual(traces(sent, shown), [])
      }
      assert.strictEqual(error.last?.reference, sent)
    }).pipe(Effect.provide(layer()))
  )
})

describe("create", () => {
  it.effect("shows no phone number in a refusal, though the service repeats it", () =>
    Effect.gen(function* () {
      const request = payoutFrom(yield* walletIn("XOF"))
      const { destination } = request
      const error = { code: "C", message: `no ${destination}`, details: { destination } }
      const { gateway } = yield* FakeService.make([FakeService.failure(422, {}, error)])
      const payouts = yield* Effect.provideService(Payouts.make, Gateway.Gateway, gateway)
      const refused = yield* Effect.flip(payouts.create(request, { key }))
      assert.strictEqual(refused._tag, "UnprocessableError")
      assert.notInclude(JSON.stringify(refused), destination.slice(-8))
    }).pipe(Effect.provide(layer()))
  )
})

describe("get", () => {
  it.effect("fails with NotFoundError for a reference that does not exist", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const error = yield* Effect.flip(payouts.get(Payout.makeReference("PYT-NONE")))
      assert.strictEqual(error._tag, "NotFoundError")
    }).pipe(Effect.provide(layer()))
  )
})
