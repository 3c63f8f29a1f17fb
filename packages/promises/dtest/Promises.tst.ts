import type * as AvailableService from "@manilla/catalogue/AvailableService"
import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Pagination from "@manilla/core/Pagination"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import type * as Payments from "@manilla/payments/Payments"
import type * as Promises from "@manilla/promises/Promises"
import type * as Transaction from "@manilla/transactions/Transaction"
import { describe, expect, test } from "tstyche"

declare const manilla: Promises.Promises
declare const key: IdempotencyKey.IdempotencyKey
declare const signal: AbortSignal
declare const request: Payments.CollectRequest
declare const id: PaymentIntent.PaymentIntentId
declare const text: string

describe("a call resolves to its value or to one of its own errors", () => {
  test("a write", () => {
    expect(manilla.payments.collect(request, { key })).type.toBe<
      Promise<
        Promises.Result<
          PaymentIntent.PaymentIntent,
          Errors.KeyedWriteError | Payments.PaymentStillPending
        >
      >
    >()
  })

  test("a read without a request", () => {
    expect(manilla.catalogue.available({})).type.toBe<
      Promise<Promises.Result<ReadonlyArray<AvailableService.AvailableService>, Errors.ReadError>>
    >()
  })

  test("the value needs a look at `ok`", async () => {
    const result = await manilla.payments.get(id)
    expect(result).type.not.toHaveProperty("value")
    if (result.ok) expect(result.value).type.toBe<PaymentIntent.PaymentIntent>()
    else expect(result.error).type.toBe<Errors.ReadError>()
  })
})

describe("a stream is an iterable of results", () => {
  test("a list", () => {
    expect(manilla.transactions.stream()).type.toBe<
      AsyncIterable<
        Promises.Result<
          Transaction.Transaction,
          Pagination.PageError | Pagination.PageParameterError
        >
      >
    >()
  })

  test("changes", () => {
    expect(manilla.payments.changes(id)).type.toBe<
      AsyncIterable<
        Promises.Result<
          PaymentIntent.PaymentIntent,
          Errors.ReadError | Payments.PaymentStillPending
        >
      >
    >()
  })
})

describe("a call takes the arguments of its service, and a signal", () => {
  test("a write", () => {
    expect(manilla.payments.collect).type.toBeCallableWith(request, { key })
    expect(manilla.payments.collect).type.toBeCallableWith(request, { key, signal })
    expect(manilla.payments.collect).type.not.toBeCallableWith(request)
    expect(manilla.payments.collect).type.not.toBeCallableWith(request, { signal })
    expect(manilla.payments.collect).type.not.toBeCallableWith(request, { key: "order-42" })
  })

  test("a read", () => {
    expect(manilla.payments.get).type.toBeCallableWith(id)
    expect(manilla.payments.get).type.toBeCallableWith(id, { signal })
    expect(manilla.payments.get).type.not.toBeCallableWith(text)
    expect(manilla.catalogue.list).type.toBeCallableWith()
    expect(manilla.catalogue.list).type.toBeCallableWith({ signal })
  })

  test("a list", () => {
    expect(manilla.transactions.stream).type.toBeCallableWith({ currency: "XOF" }, { signal })
    expect(manilla.transactions.stream).type.not.toBeCallableWith({ signal })
  })
})
