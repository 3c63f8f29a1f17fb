import { assert, describe } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as ControlApi from "@manilla/sandbox/ControlApi"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import {
  link,
  cardFrom,
  collected,
  collection,
  key,
  layer,
  payoutFrom,
  settled,
  walletIn,
  tests
} from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as states from "../src/internal/store/state.js"
import { send } from "./utils/harness.js"

const test = tests()

/** A client that has them can go on with the other sandbox. */
const credentials = { clientId: "me", clientSecret: Redacted.make("mine") }

/** Uses every kind of resource, and leaves a payment and a payout PENDING. */
const use = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const payments = yield* Payments.Payments
  const payouts = yield* Payouts.Payouts
  const links = yield* PaymentLinks.PaymentLinks
  const cards = yield* Cards.Cards
  const { reference } = yield* collected("one")
  yield* sandbox.refund({ transaction: reference, amount: "100" })
  const { id } = yield* links.create({ ...link, max_uses: 2 })
  yield* sandbox.payLink({ id })
  yield* links.create({ ...link, expires_at: "2000-01-01T00:00:00Z" })
  yield* cards.issue(yield* cardFrom(), { key: IdempotencyKey.derive("card") })
  yield* payments.create(collection, { key })
  yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
  yield* sandbox.advance({ seconds: 1 })
  yield* sandbox.setStanding({ kybApproved: false })
  yield* sandbox.setScopes(["payments.read"])
  yield* Effect.forEach(
    [
      Fault.delay("1 second", { operation: "Catalogue.list", probability: 0.5, seed: 3 }),
      Fault.body(Uint8Array.of(255, 0), { count: "always", header: { name: "x-test" } }),
      Fault.status(503, { retry_after: 1, field: { name: "a.b", value: null } })
    ],
    sandbox.faults.add
  )
})

const json = Schema.parseJson(ControlApi.Snapshot)

/** A snapshot as a file would keep it. */
const written = Effect.flatMap(Sandbox.Sandbox, ({ snapshot }) =>
  Effect.flatMap(snapshot, Schema.encode(json))
)

/** The snapshot without the difference to the program's clock, which has moved on. */
const contents = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => (name === "clock" ? undefined : value))

const everything = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
  return {
    credentials: [clientId, Redacted.value(clientSecret)],
    now: yield* sandbox.clock,
    payments: yield* sandbox.paymentIntents,
    payouts: yield* sandbox.payouts,
    transactions: yield* sandbox.transactions,
    links: yield* sandbox.paymentLinks,
    cards: yield* sandbox.cards,
    cardholders: yield* sandbox.cardholders,
    wallets: yield* sandbox.wallets,
    ledger: yield* sandbox.ledger,
    faults: (yield* sandbox.faults.pending).map(({ id, remaining }) => [id, remaining])
  }
})

const restore = (text: string) =>
  Effect.gen(function* () {
    const { restore } = yield* Sandbox.Sandbox
    yield* restore(yield* Schema.decode(json)(text))
  })

describe("a snapshot", () => {
  Test.effect("restores each part of the state elsewhere, and what comes after it", function* () {
    const after = Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      // Both clients obtain a new token, which draws identifiers.
      yield* sandbox.revokeTokens
      yield* sandbox.setStanding({ kybApproved: true })
      yield* sandbox.setScopes(["payments.write"])
      const payments = yield* Payments.Payments
      // The same key returns the same payment, and a new key the same identifiers.
      const again = yield* payments.create(collection, { key })
      const next = yield* payments.create(collection, { key: IdempotencyKey.derive("next") })
      yield* settled
      return { again, next: next.id, rest: yield* everything }
    })
    const first = yield* Effect.gen(function* () {
      yield* use
      const text = yield* written
      assert.strictEqual(yield* written, text)
      return { text, before: yield* everything, after: yield* after }
    }).pipe(Effect.provide(layer(credentials)))
    const second = yield* Effect.gen(function* () {
      yield* restore(first.text)
      assert.deepStrictEqual(contents(yield* written), contents(first.text))
      return { before: yield* everything, after: yield* after }
    }).pipe(Effect.provide(layer({ ...credentials, seed: "another" })))
    assert.deepInclude(second, { before: first.before, after: first.after })
  })

  test("sets the clock back to its time", function* ({ sandbox, payments }) {
    const { id } = yield* payments.create(collection, { key })
    const before = yield* sandbox.snapshot
    yield* sandbox.advance({ seconds: 86_400 })
    assert.strictEqual((yield* sandbox.paymentIntents)[0]?.status, "COMPLETED")
    yield* sandbox.restore(before)
    assert.strictEqual(Date.parse((yield* sandbox.clock).now), before.now_ms)
    const stored = (yield* sandbox.paymentIntents).map((one) => [one.id, one.status])
    assert.deepStrictEqual(stored, [[id, "PENDING"]])
  })

  const [version, now] = [/"version":\d+/, /"now_ms":\d+/]
  const books = "state.ledger_accounts"
  for (const [name, part, damage, field] of [
    ["of an older version", version, `"version":${states.version - 1}`, "version"],
    ["of a newer version", version, `"version":${states.version + 1}`, "version"],
    ["before 1970", now, '"now_ms":-1', "now_ms"],
    ["of a time that no timestamp has", now, '"now_ms":8700000000000000', "now_ms"],
    ["without a part", '"payments":', '"pay":', "state.payments"],
    ["with an invalid status", '"status":"PENDING"', '"status":7', "state.payments.1.status"],
    ["whose ledger does not balance", '"amount":"1500.0000"}', '"amount":"1501.0000"}', books],
    ["with a gap in its journal", '"sequence":2,', '"sequence":99,', books],
    ["with other balances than its journal", /"debit":"(?=[1-9])/, '"debit":"1', books],
    ["with the same row twice", /"wallets":\[(\{.*?\})/, '"wallets":[$1,$1', "state.wallets"]
  ] as const) {
    test(`${name} is refused with the reason, and nothing changes`, function* ({ sandbox }) {
      yield* use
      const text = yield* written
      const damaged = text.replace(part, damage)
      assert.notStrictEqual(damaged, text)
      const url = `${new URL(sandbox.baseUrl).origin}${ControlApi.root}/snapshot`
      const { status, text: answer } = yield* send(url, { method: "PUT", text: damaged })
      assert.strictEqual(status, 422)
      const { issues } = Schema.decodeUnknownSync(Schema.parseJson(ControlApi.ControlError))(answer)
      const fields = issues.map((issue) => issue.field)
      assert.include(fields, field)
      assert.strictEqual(yield* written, text)
    })
  }

  test("of the last day before 9900 is restored, with its clock", function* ({ sandbox }) {
    const { restore } = sandbox
    yield* use
    const text = (yield* written).replace(/"now_ms":\d+/, `"now_ms":${Date.UTC(9900, 0) - 1}`)
    yield* restore(yield* Schema.decode(json)(text))
    yield* sandbox.setStanding({ kybApproved: true })
    const url = `${new URL(sandbox.baseUrl).origin}${ControlApi.root}`
    const { status, text: answer } = yield* send(`${url}/clock`, { method: "GET" })
    assert.strictEqual(status, 200)
    assert.include(answer, "9899-12-31T23:59:59.999")
  })

  test("is read and restored over HTTP", function* ({ sandbox }) {
    const url = `${new URL(sandbox.baseUrl).origin}${ControlApi.root}/snapshot`
    yield* use
    const { text } = yield* send(url, { method: "GET" })
    const before = yield* everything
    yield* sandbox.reset()
    assert.strictEqual((yield* send(url, { method: "PUT", text })).status, 204)
    assert.deepStrictEqual(yield* everything, before)
  })
})
