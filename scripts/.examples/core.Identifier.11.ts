import * as Identifier from "@manilla/core/Identifier"

const PaymentIntentId = Identifier.uuid("PaymentIntentId")
const id = PaymentIntentId.make("0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b")
