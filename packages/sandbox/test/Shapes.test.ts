/**
 * Compares responses on the wire with section 2 of the interface, member by member.
 */
import { assert, describe, it } from "@effect/vitest"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import {
  collected,
  collection,
  key,
  layer,
  payoutFrom,
  settled,
  walletIn
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as envelope from "../src/internal/http/envelope.js"
import { credentialsBody, send, sendAuthorised, tokenUrl } from "./utils/harness.js"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const transaction = words(`id reference operation amount fee_amount net_amount currency country
  environment status completed_at created_at`)
const paymentIntent = words(`id reference country amount currency operation payment_method
  environment status metadata created_at updated_at`)
const link = words(`id reference amount currency country description status max_uses use_count
  checkout_url expires_at`)
const payout = words(`id reference amount currency country payment_method destination status
  created_at`)
const page = words("current_page data per_page total")

const decode = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      success: Schema.Literal(true),
      data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
      meta: Schema.Struct({ correlation_id: Schema.String })
    })
  )
)

const decodeRows = Schema.decodeUnknownSync(
  Schema.NonEmptyArray(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null ? Object.keys(value).sort() : []

const assertMembers = (value: unknown, described: ReadonlyArray<string>) =>
  assert.deepStrictEqual(keysOf(value), [...described].sort())

const checked = new Set<string>()

/** Sends a request with path parameters by name, and returns the data of the envelope. */
const answered = (
  name: string,
  parts: {
    readonly path?: Readonly<Record<string, string>>
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  } = {}
) =>
  Effect.gen(function* () {
    checked.add(name)
    const operation = ServiceApi.operations.get(name)
    if (operation === undefined) return assert.fail(`${name} is not declared`)
    const path = operation.path.replace(
      /:(\w+)/g,
      (_, member: string) => parts.path?.[member] ?? ""
    )
    const method: HttpMethod = operation.method
    const { path: _, ...rest } = parts
    const { status, text } =
      operation.access === "credentials"
        ? yield* send(yield* tokenUrl, { method, ...rest })
        : yield* sendAuthorised(path, { method, ...rest })
    assert.isTrue(status === 200 || status === 201, text)
    yield* Schema.decodeUnknown(Schema.parseJson(envelope.Success(operation.success)))(text)
    return decode(text).data
  })

const idOf = (data: Readonly<Record<string, unknown>>, member = "id") => String(data[member])

const listed = (name: string, described: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const data = yield* answered(name)
    assertMembers(data, page)
    const rows = decodeRows(data["data"])
    for (const row of rows) assertMembers(row, described)
    return rows[0]
  })

describe("a response has exactly the documented members", () => {
  it.effect("of payment intents", () =>
    Effect.gen(function* () {
      const headers = { "idempotency-key": key }
      const created = yield* answered("Payments.create", { headers, body: collection })
      assertMembers(created, [
        ...paymentIntent,
        ...words("account_id application_id description expires_at")
      ])
      const path = { paymentIntent: idOf(created) }
      assertMembers(yield* answered("Payments.get", { path }), paymentIntent)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of transactions", () =>
    Effect.gen(function* () {
      yield* collected("order")
      const row = yield* listed("Transactions.list", transaction)
      const path = { reference: idOf(row, "reference") }
      assertMembers(yield* answered("Transactions.get", { path }), [
        ...transaction,
        ...words("provider_reference metadata")
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of payouts", () =>
    Effect.gen(function* () {
      const headers = { "idempotency-key": key }
      const body = payoutFrom(yield* walletIn("XOF"))
      const created = yield* answered("Payouts.create", { headers, body })
      assertMembers(created, [...payout, "wallet_id"])
      const path = { reference: idOf(created, "reference") }
      assertMembers(yield* answered("Payouts.get", { path }), [
        ...payout,
        ...words("provider_reference updated_at")
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of refunds", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { reference } = yield* sandbox.refund({
        transaction: (yield* collected("order")).reference
      })
      yield* settled
      assertMembers(
        yield* answered("Refunds.get", { path: { reference } }),
        words("id reference amount reason provider_reference status created_at updated_at")
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of payment links", () =>
    Effect.gen(function* () {
      const body = { amount: "5", currency: "XOF", country: "BJ" }
      const created = yield* answered("PaymentLinks.create", { body })
      assertMembers(created, [...link, "created_at"])
      yield* listed("PaymentLinks.list", [...link, "created_at"])
      const path = { paymentLink: idOf(created) }
      assertMembers(yield* answered("PaymentLinks.get", { path }), [...link, "metadata"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of cards and cardholders", () =>
    Effect.gen(function* () {
      const holder = yield* listed(
        "Cardholders.list",
        words("id provider_reference environment created_at")
      )
      const path = { virtualCardCustomer: idOf(holder) }
      assertMembers(
        yield* answered("Cardholders.get", { path }),
        words(`reference first_name last_name email country_code contact dob billing_name
          is_business billing_address billing_city billing_country billing_state
          billing_postal_code id_number`)
      )

      const issued = yield* answered("Cards.issue", {
        body: {
          customer_id: idOf(holder),
          wallet_id: (yield* walletIn("XOF")).id,
          idempotency_key: key,
          debit_currency: "XOF"
        }
      })
      const card = words(`id virtual_card_customer_id provider_reference issuance_reference
        charged_amount charged_currency environment card_sequence`)
      assertMembers(issued, words("card pricing reservation"))
      assertMembers(issued["card"], card)
      assertMembers(issued["pricing"], words("card_currency card_creation_fee_usd wallet_debit"))
      assertMembers(issued["reservation"], words("reference status"))
      yield* listed("Cards.list", [...card, ...words("issuance_fee_usd exchange_rate created_at")])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of the catalogue and of tokens", () =>
    Effect.gen(function* () {
      const catalogue = yield* answered("Catalogue.list")
      assertMembers(catalogue, words("environment services"))
      for (const service of decodeRows(catalogue["services"])) {
        assertMembers(service, words("country currency operation payment_method available"))
        assertMembers(service["country"], words("code name"))
        assertMembers(service["currency"], words("code name"))
      }
      assertMembers(
        yield* answered("Token.obtain", { body: yield* credentialsBody }),
        words("access_token expires_in token_type environment scope")
      )
    }).pipe(Effect.provide(layer()))
  )

  it("of every declared operation", () => {
    assert.deepStrictEqual([...checked].sort(), [...ServiceApi.operations.keys()].sort())
  })
})

describe("amounts and timestamps", () => {
  it.effect("have a fixed format, whatever the format of the request", () =>
    Effect.gen(function* () {
      const links = yield* PaymentLinks.PaymentLinks
      for (const [asked, shown] of [
        ["5", "5.0000"],
        ["005.5", "5.5000"],
        ["0", "0.0000"],
        ["9".repeat(60), `${"9".repeat(60)}.0000`]
      ] as const) {
        const { amount, created_at } = yield* links.create({
          amount: asked,
          currency: "XOF",
          country: "BJ"
        })
        assert.strictEqual(String(amount), shown)
        assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("a scope", () => {
  for (const [name, operation] of ServiceApi.operations) {
    const { access } = operation
    if (access === "bearer" || access === "credentials") continue
    it.effect(`of ${name} is required even with all other scopes`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const others = Array.from(ServiceApi.operations.values(), (other) => other.access)
          .filter((other) => other !== "bearer" && other !== "credentials")
          .filter((other) => other !== access)
        yield* sandbox.setScopes(others)
        const path = operation.path.replace(/:\w+/g, "00000000-0000-4000-8000-000000000000")
        const { status } = yield* sendAuthorised(path, { method: operation.method })
        assert.strictEqual(status, 403)
      }).pipe(Effect.provide(layer()))
    )
  }
})
