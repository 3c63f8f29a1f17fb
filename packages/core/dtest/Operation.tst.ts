import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "tstyche"

const order = {
  method: "POST",
  path: "/orders",
  summary: "Create an order",
  access: "bearer",
  headers: Schema.Struct({
    "idempotency-key": IdempotencyKey.IdempotencyKey,
    "x-count": Schema.NumberFromString
  }),
  payload: Schema.Struct({
    amount: Schema.String,
    note: Schema.optional(Schema.NullOr(Schema.String)),
    count: Schema.Number
  }),
  success: Schema.Struct({ id: Schema.String })
} as const

const { headers: _, ...withoutHeaders } = order
const { payload: __, ...withoutPayload } = order

const checks = { members: [{ field: "amount", as: "amount" }] } as const
const nothingChecked = { members: [] } as const

describe("a key", () => {
  test("is in a header that the operation has", () => {
    const keyed = { ...order, checks, key: { header: "idempotency-key" } } as const
    expect(Operation.keyed).type.toBeCallableWith(keyed)
    expect(Operation.keyed).type.not.toBeCallableWith({ ...keyed, key: { header: "x-key" } })
    expect(Operation.keyed).type.not.toBeCallableWith({ ...keyed, key: { header: "x-count" } })
    expect(Operation.keyed).type.not.toBeCallableWith({ ...keyed, key: { header: "amount" } })
    expect(Operation.keyed).type.not.toBeCallableWith({
      ...withoutHeaders,
      checks,
      key: { header: "idempotency-key" }
    })
  })

  test("or in a field of its body", () => {
    const keyed = { ...order, checks, key: { body: "note" } } as const
    expect(Operation.keyed).type.toBeCallableWith(keyed)
    expect(Operation.keyed).type.not.toBeCallableWith({ ...keyed, key: { body: "key" } })
    expect(Operation.keyed).type.not.toBeCallableWith({ ...keyed, key: { body: "count" } })
    expect(Operation.keyed).type.not.toBeCallableWith({
      ...withoutPayload,
      checks: nothingChecked,
      key: { body: "note" }
    })
  })

  test("is never left out", () => {
    expect(Operation.keyed).type.not.toBeCallableWith({ ...order, checks })
    expect(Operation.keyed).type.not.toBeCallableWith({ ...order, checks, key: {} })
  })
})

describe("a response check", () => {
  test("is on a text field of the body", () => {
    expect(Operation.once).type.toBeCallableWith({ ...order, checks })
    expect(Operation.once).type.toBeCallableWith({ ...order, checks: nothingChecked })
    expect(Operation.once).type.not.toBeCallableWith({
      ...order,
      checks: { members: [{ field: "total", as: "amount" }] }
    })
    expect(Operation.once).type.not.toBeCallableWith({
      ...order,
      checks: { members: [{ field: "count", as: "amount" }] }
    })
  })

  test("is first on a field that every request has", () => {
    const amount = { field: "amount", as: "amount" } as const
    const note = { field: "note", as: "text" } as const
    expect(Operation.once).type.toBeCallableWith({ ...order, checks: { members: [amount, note] } })
    expect(Operation.once).type.not.toBeCallableWith({ ...order, checks: { members: [note] } })
    expect(Operation.once).type.not.toBeCallableWith({
      ...order,
      checks: { members: [note, amount] }
    })
  })

  test("is asked of every write", () => {
    expect(Operation.once).type.not.toBeCallableWith(order)
    expect(Operation.keyed).type.not.toBeCallableWith({
      ...order,
      key: { header: "idempotency-key" }
    })
  })
})

describe("a call", () => {
  const read = Operation.safe({
    method: "GET",
    path: "/orders/:id",
    summary: "Read an order",
    access: "bearer",
    pathParams: Schema.Struct({ id: Schema.String }),
    urlParams: Schema.Struct({ per_page: Schema.optional(Schema.Number) }),
    success: Schema.Struct({ id: Schema.String })
  })
  const once = Operation.once({ ...withoutHeaders, checks })

  test("takes the parts that the operation has", () => {
    const path = { id: "1" }
    expect<Operation.Call<typeof read>>().type.toBeCallableWith({ path, urlParams: {} })
    expect<Operation.Call<typeof read>>().type.toBeCallableWith({
      path,
      urlParams: { per_page: 5 },
      extraParams: { page: "2" }
    })
    expect<Operation.Call<typeof read>>().type.not.toBeCallableWith({ urlParams: {} })
    expect<Operation.Call<typeof read>>().type.not.toBeCallableWith({
      path,
      urlParams: { per_page: "5" }
    })

    const payload = { amount: "1500", count: 1 }
    expect<Operation.Call<typeof once>>().type.toBeCallableWith({ payload })
    expect<Operation.Call<typeof once>>().type.not.toBeCallableWith({})
    expect<Operation.Call<typeof once>>().type.not.toBeCallableWith({
      payload,
      extraParams: { page: "2" }
    })
  })
})
