import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"

const create = Operation.keyed({
  method: "POST",
  path: "/orders",
  summary: "Create an order",
  access: "bearer",
  headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
  payload: Schema.Struct({ amount: Schema.String }),
  success: Schema.Struct({ id: Schema.String, amount: Schema.String }),
  key: { header: "idempotency-key" },
  checks: { members: [{ field: "amount", as: "amount" }] }
})
