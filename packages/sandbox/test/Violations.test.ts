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
import * as Clients from "@manilla/service/Clients"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Test from "@manilla/test-support/Test"
import * as writes from "@manilla/test-support/Writes"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { names, operations } from "./utils/interface.js"

const sent: Array<string> = []
const services = Clients.layer.pipe(
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

/** A copy with another value at a path such as `payer.lang`; `undefined` removes the member. */
const withMember = (input: object, path: string, value: unknown): object => {
  const [first = "", ...rest] = path.split(".")
  const { [first as keyof object]: member, ...others } = input
  if (rest.length > 0)
    return { ...others, [first]: withMember(member ?? {}, rest.join("."), value) }
  return value === undefined ? others : { ...others, [first]: value }
}

type Listing = Extract<ServiceApi.OperationName, `${string}.list`>

/** The compiler reports a missing list. The catalogue has no query. */
const lists: Readonly<Record<Exclude<Listing, "Catalogue.list">, Call>> = {
  "Transactions.list": (input) =>
    Effect.flatMap(Transactions.Transactions, ({ list }) => list(input)),
  "PaymentLinks.list": (input) =>
    Effect.flatMap(PaymentLinks.PaymentLinks, ({ list }) => list(input)),
  "Cards.list": (input) => Effect.flatMap(Cards.Cards, ({ list }) => list(input)),
  "Cardholders.list": (input) => Effect.flatMap(Cardholders.Cardholders, ({ list }) => list(input))
}

const tables: ReadonlyArray<{
  readonly name: ServiceApi.OperationName
  readonly prefix: string
  readonly call: Call
}> = [
  ...writes.all.map(({ name, send }) => ({
    name,
    prefix: "",
    call: (input: never) => send(input, key)
  })),
  ...Record.toEntries(lists).map(([name, call]) => ({ name, prefix: "urlParams.", call }))
]

it("the tables have each operation with a body or a query, except Token.obtain", () => {
  const withFields = Record.toEntries(operations).filter(
    ([name, { body, query }]) => name !== "Token.obtain" && (body ?? query) !== undefined
  )
  const names = tables.map(({ name }) => name)
  assert.sameMembers(
    names,
    withFields.map(([name]) => name)
  )
})

for (const { call, name, prefix } of tables) {
  const { broken = [], valid = {} } = operations[name]
  describe(name, () => {
    it("has rules for each of its fields", () => {
      const { body = "", key, query = "" } = operations[name]
      const isField = (field: string) => key !== `body ${field}`
      const ruled = new Set(broken.map(([field]) => field))
      const free = names(`${body} ${query}`).filter((field) => isField(field) && !ruled.has(field))
      assert.deepStrictEqual(free, [])
    })

    for (const [field, ...values] of broken) {
      for (const value of values) {
        const shown = JSON.stringify(value)?.slice(0, 40) ?? "nothing"
        Test.over(services).effect(`refuses ${shown} for ${field}`, function* () {
          const before = sent.length
          const input = withMember(valid, field, value)
          const error = yield* Effect.flip(call(input as never))
          assert(error._tag === "InvalidRequestError")
          const fields = error.issues.map((issue) => issue.field)
          assert.deepStrictEqual(fields, [prefix + field])
          if (typeof value === "string" && value.length > 3) assert.notInclude(error.message, value)
          assert.strictEqual(sent.length, before)
        })
      }
    }
  })
}

describe("a key", () => {
  const issue = (text: string) =>
    Effect.flatMap(Cards.Cards, (cards) =>
      cards.issue(
        { customer_id: uuid, wallet_id: uuid, debit_currency: "XOF" },
        { key: IdempotencyKey.make(text) }
      )
    )

  Test.over(services).effect("of more than 100 characters is refused for a card", function* () {
    const error = yield* Effect.flip(issue("x".repeat(101)))
    assert(error._tag === "InvalidRequestError")
    const fields = error.issues.map(({ field }) => field)
    assert.deepStrictEqual(fields, ["key"])
  })
})
