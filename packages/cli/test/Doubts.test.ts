/** The words about rows in doubt. */
import { assert, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import type * as Payouts from "@manilla/payouts/Payouts"
import * as Test from "@manilla/test-support/Test"
import type * as Batch from "@manilla/workflows/Batch"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as progress from "../src/internal/payroll/progress.js"
import * as results from "../src/internal/payroll/results.js"
import * as Doubt from "@manilla/workflows/Doubt"
import { of } from "../src/internal/payroll/words.js"

const key = IdempotencyKey.make("k")

const refused = (code: string) => {
  const operation = "Payouts.create"
  const cause = new Errors.UnprocessableError({ operation, status: 422, code, message: "refused" })
  return new Errors.OutcomeUnknown({ operation, message: "unknown", attempts: 1, cause, key })
}

const doubt = (nextMillis: number | undefined): Batch.Doubt => ({
  key: "E1",
  error: refused("X"),
  nextMillis
})

it.each([
  ["the earliest time that is known", [40_000, undefined, 30_000], "next try in 30 s"],
  ["that all are being tried", [undefined, undefined], "it is being tried"],
  ["seconds up to two minutes", [119_000], "next try in 119 s"],
  ["minutes", [120_000], "next try in 2 min"]
] as const)("rows in doubt tell %s", (_, times, said) => {
  const [line] = results.doubts(times.map(doubt), 0, of("en"))
  assert.strictEqual(
    line?.text,
    `${times.length} in doubt: the service responds with X (the money may have moved); ${said}`
  )
})

it("rows in doubt are told in French", () => {
  const [line] = results.doubts([doubt(30_000)], 0, of("fr"))
  assert.strictEqual(
    line?.text,
    "1 incertaine\u{a0}: le service répond X (l’argent est peut-être parti)\u{202f}; prochain essai dans 30 s"
  )
})

it("a refusal of the key in doubt is one of another request", () => {
  assert.isTrue(Doubt.isOfOtherRequest(refused("IDEMPOTENCY_KEY_REUSED")))
  assert.isFalse(Doubt.isOfOtherRequest(refused("INSUFFICIENT_FUNDS")))
})

const operation = "Payouts.create"
const limited = new Errors.RateLimitError({ operation, status: 429, message: "m" })
const invalid = new Errors.UnprocessableError({ operation, status: 422, message: "m" })

Test.effect("rows cannot be sent from a refusal to the next other end of a request", function* () {
  const payout: unknown = { reference: "PYT-1" }
  for (const other of [Effect.succeed(payout), Effect.fail(invalid), Effect.fail(refused("X"))]) {
    const ends: Array<Effect.Effect<unknown, unknown>> = [Effect.fail(limited), other]
    const create = () => Effect.suspend(() => ends.shift() ?? Effect.never)
    const fake = { create } as unknown as Payouts.Service
    const { payouts, refusal } = progress.observed(fake)
    const send = Effect.ignore(payouts.create({} as Payout.PayoutRequest, { key }))
    yield* send
    assert.strictEqual(refusal(), limited)
    yield* send
    assert.isUndefined(refusal())
  }
})

Test.effect("pending rows cannot be read once all reads have failed for 3 seconds", function* () {
  const ends: Array<Effect.Effect<unknown, unknown>> = []
  const get = () => Effect.suspend(() => ends.shift() ?? Effect.never)
  const fake = { get } as unknown as Payouts.Service
  const { payouts, unread } = progress.observed(fake)
  const read = (end: Effect.Effect<unknown, unknown>) => {
    ends.push(end)
    return Effect.ignore(payouts.get(Payout.makeReference("PYT-1")))
  }
  yield* read(Effect.fail(limited))
  assert.isUndefined(yield* unread)
  yield* TestClock.adjust("2 seconds")
  yield* read(Effect.fail(limited))
  assert.isUndefined(yield* unread)
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* unread, limited)
  yield* read(Effect.succeed({}))
  assert.isUndefined(yield* unread)
  yield* read(Effect.fail(limited))
  assert.isUndefined(yield* unread)
})
