import type * as Errors from "@manilla/core/Errors"
import type * as Gateway from "@manilla/core/Gateway"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Identifier from "@manilla/core/Identifier"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { describe, expect, test } from "tstyche"

declare const payments: Payments.Service
declare const key: IdempotencyKey.IdempotencyKey
declare const correlationId: Identifier.CorrelationId
declare const id: PaymentIntent.PaymentIntentId
declare const reference: typeof PaymentIntent.PaymentIntentReference.Type
declare const text: string

const collectRequest = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290100000000" }
} as const
const request = { ...collectRequest, operation: "COLLECTION" } as const

describe("a write cannot be written without its key", () => {
  test("collect", () => {
    expect(payments.collect).type.toBeCallableWith(collectRequest, { key })
    expect(payments.collect).type.toBeCallableWith(collectRequest, { key, correlationId })
    expect(payments.collect).type.not.toBeCallableWith(collectRequest)
    expect(payments.collect).type.not.toBeCallableWith(collectRequest, {})
    expect(payments.collect).type.not.toBeCallableWith(collectRequest, { wait: {} })
    expect(payments.collect).type.not.toBeCallableWith(collectRequest, { key: undefined })
    expect(payments.collect).type.not.toBeCallableWith(collectRequest, { key: "order-42" })
    expect(payments.collect).type.not.toBeCallableWith(collectRequest, { key: text })
  })

  test("collect does not take what was meant for a deposit", () => {
    expect(payments.collect).type.not.toBeCallableWith(
      { ...request, operation: "DEPOSIT" },
      { key }
    )
  })

  test("an unknown outcome has the key to go on with", () => {
    const goesOn = payments
      .collect(collectRequest, { key })
      .pipe(
        Effect.catchTag("OutcomeUnknown", ({ key }) => payments.collect(collectRequest, { key }))
      )
    expect(goesOn).type.toBe<
      Effect.Effect<
        PaymentIntent.PaymentIntent,
        Errors.KeyedWriteError | Payments.PaymentStillPending
      >
    >()
  })

  test("create", () => {
    expect(payments.create).type.toBeCallableWith(request, { key })
    expect(payments.create).type.not.toBeCallableWith(request)
    expect(payments.create).type.not.toBeCallableWith(request, {})
    expect(payments.create).type.not.toBeCallableWith(request, { correlationId })
    expect(payments.create).type.not.toBeCallableWith(request, { key: "order-42" })
    expect(payments.create).type.not.toBeCallableWith(request, { key: text })
    expect(payments.create).type.not.toBeCallableWith(request, { key: correlationId })
  })
})

describe("a request", () => {
  test("takes what interface section 4.1 takes", () => {
    expect(payments.create).type.not.toBeCallableWith({ ...request, amount: 1500 }, { key })
    expect(payments.create).type.not.toBeCallableWith({ ...request, operation: "PAY" }, { key })
    expect(payments.create).type.not.toBeCallableWith({ ...request, payer: {} }, { key })
    expect(payments.create).type.not.toBeCallableWith(collectRequest, { key })
  })
})

test("an id is not any text, nor a reference, nor another kind's", () => {
  expect(payments.get).type.toBeCallableWith(id)
  expect(payments.get).type.not.toBeCallableWith(reference)
  expect(payments.get).type.not.toBeCallableWith(text)
  expect(payments.get).type.not.toBeCallableWith(correlationId)
  type Id = Parameters<typeof payments.get>[0]
  expect<Parameters<typeof payments.awaitFinal>[0]>().type.toBe<Id>()
  expect<Parameters<typeof payments.changes>[0]>().type.toBe<Id>()
})

describe("each call fails with what it documents, and needs nothing", () => {
  test("create", () => {
    expect(payments.create(request, { key })).type.toBe<
      Effect.Effect<PaymentIntent.CreatedPaymentIntent, Errors.KeyedWriteError>
    >()
  })

  test("get", () => {
    expect(payments.get(id)).type.toBe<
      Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError>
    >()
  })

  test("awaitFinal", () => {
    expect(payments.awaitFinal(id)).type.toBe<
      Effect.Effect<PaymentIntent.PaymentIntent, Errors.ReadError | Payments.PaymentStillPending>
    >()
  })

  test("changes", () => {
    expect(payments.changes(id)).type.toBe<
      Stream.Stream<PaymentIntent.PaymentIntent, Errors.ReadError | Payments.PaymentStillPending>
    >()
  })

  test("collect and deposit", () => {
    expect(payments.collect(collectRequest, { key })).type.toBe<
      Effect.Effect<
        PaymentIntent.PaymentIntent,
        Errors.KeyedWriteError | Payments.PaymentStillPending
      >
    >()
    expect(payments.deposit).type.toBe<typeof payments.collect>()
  })

  test("a wait that ended carries the last value and the last failure", () => {
    expect<Payments.PaymentStillPending["id"]>().type.toBe<PaymentIntent.PaymentIntentId>()
    expect<Payments.PaymentStillPending["last"]>().type.toBe<
      PaymentIntent.PaymentIntent | undefined
    >()
    expect<Payments.PaymentStillPending["cause"]>().type.toBe<Errors.ReadError | undefined>()
  })

  test("the layer needs a gateway", () => {
    expect(Payments.layer).type.toBe<Layer.Layer<Payments.Payments, never, Gateway.Gateway>>()
  })
})
