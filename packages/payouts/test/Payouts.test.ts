import { assert, describe } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import { traces } from "@manilla/test-support/Observed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"

/** As long as a key in a header may be. */
const key = IdempotencyKey.make(`salary-${"7".repeat(248)}`)

const request = {
  wallet_id: "7b0e6d52-1f0c-4f7a-9a55-2c1d9e8f4a10",
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

const answer = (members: Readonly<Record<string, unknown>> = {}) =>
  FakeService.answer({ ...created, ...members }, 201)

const make = (reaction: FakeService.Reaction, options: FakeService.Options = {}) =>
  Effect.gen(function* () {
    const { gateway, received } = yield* FakeService.make([reaction], options)
    const payouts = yield* Effect.provideService(Payouts.make, Gateway.Gateway, gateway)
    return { payouts, received }
  })

describe("create", () => {
  Test.effect("sends the whole request with its key", function* () {
    const { payouts, received } = yield* make(answer())
    const payout = yield* Elapsed.toTheEnd(payouts.create(request, { key }))
    assert.strictEqual(payout.reference, "PO-0042")
    assert.strictEqual(payout.amount, "250000.0000")
    assert.deepStrictEqual(JSON.parse(received[0]?.body ?? ""), request)
    assert.strictEqual(received[0]?.headers["idempotency-key"], key)
  })

  Test.effect("and every read return the payout with a redacted destination", function* () {
    const { payouts } = yield* make(answer({ status: "COMPLETED" }))
    const reference = Payout.makeReference("PO-0042")
    const changes = yield* Stream.runCollect(payouts.changes(reference))
    for (const payout of [
      yield* payouts.create(request, { key }),
      yield* payouts.get(reference),
      yield* payouts.awaitFinal(reference),
      yield* payouts.disburse(request, { key }),
      ...changes
    ]) {
      assert(payout.destination !== undefined)
      assert.strictEqual(Redacted.value(payout.destination), request.destination)
      assert.notInclude(inspect(payout, { depth: 9 }), request.destination)
    }
  })

  Test.effect("rejects a response for another beneficiary", function* () {
    const { payouts, received } = yield* make(answer({ destination: "+2290199999999" }))
    const create = payouts.create(request, { key })
    const error = yield* Elapsed.toTheEnd(Effect.flip(create))
    assert(error._tag === "KeyReused", error._tag)
    assert.strictEqual(error.key, key)
    assert.strictEqual(error.reference, "PO-0042")
    assert.deepStrictEqual(error.differs, ["destination"])
    assert.notMatch(error.message, /61234567|99999999/)
    assert.strictEqual(received.length, 2)
  })

  Test.effect("shows no phone number in a refusal, though the service repeats it", function* () {
    const { destination } = request
    const error = { code: "C", message: `no ${destination}`, details: { destination } }
    const { payouts } = yield* make(FakeService.failure(422, {}, error))
    const refused = yield* Effect.flip(payouts.create(request, { key }))
    assert.strictEqual(refused._tag, "UnprocessableError")
    assert.notInclude(JSON.stringify(refused), destination.slice(-8))
  })
})

describe("the wait of disburse", () => {
  /** The error that ends a wait for a payout that stays pending. */
  const stillPending = (
    wait: NonNullable<Payouts.DisburseOptions["wait"]>,
    reaction: FakeService.Reaction = answer(),
    options: FakeService.Options = {}
  ) =>
    Effect.gen(function* () {
      const { payouts } = yield* make(reaction, options)
      const error = yield* Elapsed.toTheEnd(Effect.flip(payouts.disburse(request, { key, wait })))
      assert(error._tag === "PayoutStillPending", error.message)
      assert.strictEqual(Errors.outcome(error), "applied")
      return { error, shown: [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)] }
    })

  Test.effect("still names the payout when the caller wipes the number it has read", function* () {
    const until = ({ destination }: Payout.Payout) => {
      if (destination !== undefined) Redacted.unsafeWipe(destination)
      return false
    }
    const { error } = yield* stillPending({ until, deadline: "10 seconds" })
    assert.strictEqual(error.reference, "PO-0042")
    assert.strictEqual(error.last?.reference, "PO-0042")
  })

  Test.effect("shows no phone number in the error that ends it", function* () {
    const { error, shown } = yield* stillPending({ deadline: 0 })
    for (const text of shown) assert.notInclude(text, request.destination)
    assert.strictEqual(
      error.last?.destination && Redacted.value(error.last.destination),
      request.destination
    )
  })

  Test.effect("shows no phone number that the service repeats in a refusal", function* () {
    const refusal = FakeService.failure(403, {}, { message: `no ${request.destination}` })
    const { error, shown } = yield* stillPending({}, ({ method }) =>
      Effect.succeed(method === "POST" ? answer() : refusal)
    )
    assert.include(error.message, "status 403")
    for (const text of [...shown, error.message]) assert.notInclude(text, "61234567")
  })

  Test.effect("shows no token that the service repeats as the reference", function* () {
    const token = "eyJhbGciOiJSUzI1NiJ9.Y2FuYXJ5LXRva2Vu.kR9xWq-sT_4vZ"
    const reference = `${token}0`
    const { error, shown } = yield* stillPending({ deadline: 0 }, answer({ reference }), { token })
    for (const text of [...shown, error.reference]) {
      assert.deepStrictEqual(traces(reference, text), [])
    }
    assert.strictEqual(error.last?.reference, reference)
  })
})
