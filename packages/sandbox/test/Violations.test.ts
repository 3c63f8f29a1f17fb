/**
 * Violates each rule for a request field (sections 4 and 8) on its own. The error names the field
 * without its value, and nothing is sent.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Cards from "@manilla/cards/Cards"
import * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Payments from "@manilla/payments/Payments"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const sent: Array<string> = []
const services = Layer.mergeAll(
  Cardholders.layer,
  Cards.layer,
  PaymentLinks.layer,
  Payments.layer,
  Payouts.layer,
  Transactions.layer
).pipe(
  Layer.provide(Gateway.layer({ baseUrl: "https://service.invalid/api/v1" })),
  Layer.provide(
    Layer.succeed(BearerTokens.BearerTokens, {
      get: () => Effect.succeed({ value: Redacted.make("t"), environment: "SANDBOX", scopes: [] }),
      reject: () => Effect.void
    })
  ),
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => {
        sent.push(request.url)
        return Effect.never
      })
    )
  )
)

type Services = Layer.Layer.Success<typeof services>
/** Calls an operation with input that may violate its type. */
type Call = (
  input: never
) => Effect.Effect<unknown, Errors.ReadError | Errors.WriteError | Errors.KeyedWriteError, Services>

const key = IdempotencyKey.derive("order", "42")
const uuid = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
const long = (length: number) => "x".repeat(length)

/** A copy with another value at a path such as `payer.lang`; `undefined` removes the member. */
const withMember = (input: object, path: string, value: unknown): object => {
  const [first = "", ...rest] = path.split(".")
  const { [first as keyof object]: member, ...others } = input
  if (rest.length > 0)
    return { ...others, [first]: withMember(member ?? {}, rest.join("."), value) }
  return value === undefined ? others : { ...others, [first]: value }
}

interface Table {
  readonly operation: string
  readonly call: Call
  readonly valid: object
  /** The path of the invalid member, and the field in the error if it differs. */
  readonly broken: ReadonlyArray<readonly [field: string, ...values: ReadonlyArray<unknown>]>
  readonly prefix?: string
}

const money = [
  ["amount", undefined, "", "1.", ".5", "-1", "+1", "1e3", "1,5", "1.23456", " 1", 1500],
  ["currency", undefined, "XO", "XOFX", 952],
  ["country", undefined, "B", "BEN", null]
] as const

const tables: ReadonlyArray<Table> = [
  {
    operation: "Payments.create",
    call: (input) => Effect.flatMap(Payments.Payments, ({ create }) => create(input, { key })),
    valid: {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      operation: "COLLECTION",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290161234567", otp_code: "1234", lang: "fr" },
      description: "d",
      metadata: {},
      expires_at: "2030-01-31T12:00:00Z"
    },
    broken: [
      ...money,
      ["operation", undefined, "GIFT", "collection"],
      ["payment_method", undefined, long(61), 7],
      ["payer", undefined, null, "+2290161234567"],
      ["payer.phone_number", undefined, long(33), 2290161234567],
      ["payer.otp_code", long(33), 1234],
      ["payer.lang", "es", "FR"],
      ["description", long(1001), 7],
      ["metadata", [], "x", { at: Number.NaN }],
      ["expires_at", "tomorrow", "2030-02-30T12:00:00Z", "2030-01-31 12:00"]
    ]
  },
  {
    operation: "Payouts.create",
    call: (input) => Effect.flatMap(Payouts.Payouts, ({ create }) => create(input, { key })),
    valid: {
      wallet_id: uuid,
      amount: "1500",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567",
      metadata: {}
    },
    broken: [
      ...money,
      ["wallet_id", undefined, "wallet-1", ""],
      ["payment_method", undefined, long(61)],
      ["destination", undefined, 2290161234567],
      ["metadata", []]
    ]
  },
  {
    operation: "PaymentLinks.create",
    call: (input) => Effect.flatMap(PaymentLinks.PaymentLinks, ({ create }) => create(input)),
    valid: {
      amount: "1500",
      currency: "XOF",
      country: "BJ",
      description: "d",
      max_uses: 1,
      expires_at: "2030-01-31T12:00:00Z",
      success_url: "https://shop.invalid/thanks",
      failure_url: "https://shop.invalid/sorry",
      metadata: {}
    },
    broken: [
      ...money,
      ["description", long(1001)],
      ["max_uses", 0, -1, 1.5, "1"],
      ["expires_at", "tomorrow"],
      ["success_url", long(2049)],
      ["failure_url", long(2049)],
      ["metadata", []]
    ]
  },
  {
    operation: "Cards.issue",
    call: (input) => Effect.flatMap(Cards.Cards, ({ issue }) => issue(input, { key })),
    valid: {
      customer_id: uuid,
      wallet_id: uuid,
      debit_currency: "XOF",
      initial_balance: "0",
      category: "PERSONAL",
      grade: null
    },
    broken: [
      ["customer_id", undefined, "customer-1"],
      ["wallet_id", undefined, "wallet-1"],
      ["debit_currency", undefined, "XO"],
      ["initial_balance", "-1", "1.23456", 10],
      ["category", "FAMILY", "personal"],
      ["grade", "GOLD"]
    ]
  },
  {
    operation: "Transactions.list",
    call: (input) => Effect.flatMap(Transactions.Transactions, ({ list }) => list(input)),
    valid: { per_page: 100, status: "COMPLETED", currency: "XOF", environment: "LIVE" },
    prefix: "urlParams.",
    broken: [
      ["per_page", 0, 101, 1.5, "10"],
      ["status", 7],
      ["currency", "XO"],
      ["environment", "TEST", "live"]
    ]
  },
  {
    operation: "PaymentLinks.list",
    call: (input) => Effect.flatMap(PaymentLinks.PaymentLinks, ({ list }) => list(input)),
    valid: { per_page: 1, status: "EXPIRED" },
    prefix: "urlParams.",
    broken: [
      ["per_page", 0, 101],
      ["status", "PENDING"]
    ]
  },
  {
    operation: "Cards.list",
    call: (input) => Effect.flatMap(Cards.Cards, ({ list }) => list(input)),
    valid: { per_page: 1 },
    prefix: "urlParams.",
    broken: [["per_page", 0, 101]]
  },
  {
    operation: "Cardholders.list",
    call: (input) => Effect.flatMap(Cardholders.Cardholders, ({ list }) => list(input)),
    valid: { per_page: 1 },
    prefix: "urlParams.",
    broken: [["per_page", 0, 101]]
  }
]

for (const { broken, call, operation, prefix = "", valid } of tables) {
  describe(operation, () => {
    for (const [field, ...values] of broken) {
      for (const value of values) {
        const shown = JSON.stringify(value)?.slice(0, 40) ?? "nothing"
        it.effect(`refuses ${shown} for ${field}`, () =>
          Effect.gen(function* () {
            const before = sent.length
            const input = withMember(valid, field, value)
            const error = yield* Effect.flip(call(input as never))
            assert(error._tag === "InvalidRequestError")
            assert.deepStrictEqual(
              error.issues.map((issue) => issue.field),
              [prefix + field]
            )
            if (typeof value === "string" && value.length > 3)
              assert.notInclude(error.message, value)
            assert.strictEqual(sent.length, before)
          }).pipe(Effect.provide(services))
        )
      }
    }
  })
}

it("the tables cover every operation with a body or a query, except Token.obtain", () => {
  const declared = [...ServiceApi.operations].filter(
    ([name, { payload, urlParams }]) =>
      name !== "Token.obtain" && (payload !== undefined || urlParams !== undefined)
  )
  assert.deepStrictEqual(
    tables.map(({ operation }) => operation).sort(),
    declared.map(([name]) => name).sort()
  )
})

describe("a key", () => {
  const issue = (text: string) =>
    Effect.flatMap(Cards.Cards, (cards) =>
      cards.issue(
        { customer_id: uuid, wallet_id: uuid, debit_currency: "XOF" },
        { key: IdempotencyKey.make(text) }
      )
    )

  it.effect("of more than 100 characters is refused for a card", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(issue(long(101)))
      assert(error._tag === "InvalidRequestError")
      assert.deepStrictEqual(
        error.issues.map(({ field }) => field),
        ["key"]
      )
    }).pipe(Effect.provide(services))
  )
})
