import * as IdempotencyKey from "@manilla/core/IdempotencyKey"

const key = IdempotencyKey.IdempotencyKey.make("order-42")
