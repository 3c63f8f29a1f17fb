import * as IdempotencyKey from "@manilla/core/IdempotencyKey"

const key = IdempotencyKey.derive("invoice", "2026-0042")
// "invoice:2026-0042"
