import type * as Amount from "@manilla/core/Amount"
import type * as Country from "@manilla/core/Country"
import type * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as OpenEnum from "@manilla/core/OpenEnum"
import type * as Timestamp from "@manilla/core/Timestamp"
import type * as Effect from "effect/Effect"
import { describe, expect, test } from "tstyche"

describe("a key", () => {
  test("is not any text", () => {
    expect<IdempotencyKey.IdempotencyKey>().type.not.toBeAssignableFrom<string>()
    expect<IdempotencyKey.IdempotencyKey>().type.not.toBeAssignableFrom<"order-42">()
    expect<IdempotencyKey.IdempotencyKey>().type.toBeAssignableTo<string>()
  })

  test("is made, derived or drawn", () => {
    expect(IdempotencyKey.make("a")).type.toBe<IdempotencyKey.IdempotencyKey>()
    expect(IdempotencyKey.derive("a", "b")).type.toBe<IdempotencyKey.IdempotencyKey>()
    expect(IdempotencyKey.random).type.toBe<Effect.Effect<IdempotencyKey.IdempotencyKey>>()
  })

  test("is derived from something", () => {
    expect(IdempotencyKey.derive).type.not.toBeCallableWith()
    expect(IdempotencyKey.derive).type.not.toBeCallableWith("order", 42)
  })
})

describe("kinds of text", () => {
  test("do not stand in for each other", () => {
    expect<Amount.Amount>().type.not.toBeAssignableFrom<string>()
    expect<Amount.Amount>().type.not.toBeAssignableFrom<Timestamp.Timestamp>()
    expect<Country.Country>().type.not.toBeAssignableFrom<Currency.Currency>()
  })

  test("an identifier of one resource is not another's, and no reference", () => {
    const intent = Identifier.uuid("Intent")
    const payout = Identifier.uuid("Payout")
    const reference = Identifier.reference("Intent reference")
    expect<typeof intent.Type>().type.not.toBeAssignableFrom<typeof payout.Type>()
    expect<typeof intent.Type>().type.not.toBeAssignableFrom<typeof reference.Type>()
  })
})

describe("an open enum", () => {
  const Status = OpenEnum.make("PENDING", "COMPLETED")

  test("takes its literals and any other text", () => {
    expect<typeof Status.Type>().type.toBeAssignableFrom<"PENDING">()
    expect<typeof Status.Type>().type.toBeAssignableFrom<string>()
  })
})
