/**
 * Payments over a service with scripted responses.
 */
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

export const id = PaymentIntent.makeId("0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b")
export const key = IdempotencyKey.derive("order", "42")

/** The read shape of interface section 2.2. */
export const read = {
  id,
  reference: "PI-0042",
  country: "BJ",
  amount: "1500.0000",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  environment: "SANDBOX",
  status: "PENDING",
  metadata: { order: "42", lines: [{ sku: "A", count: 2 }] },
  created_at: "2026-01-31T12:00:00.123456Z",
  updated_at: "2026-01-31T12:00:00.123456Z"
}

/** The create shape. */
export const created = {
  ...read,
  account_id: "11111111-2222-4333-8444-555555555555",
  application_id: "66666666-7777-4888-9999-aaaaaaaaaaaa",
  description: null,
  expires_at: null
}

export const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
} as const satisfies PaymentIntent.PaymentIntentRequest

export const collectRequest = Struct.omit(request, "operation")

export const { answer } = FakeService

const decodeBody = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      amount: Schema.String,
      country: Schema.String,
      currency: Schema.String,
      operation: Schema.String
    })
  )
)

/** Responds to a create with the values of the request. */
export const creates: FakeService.Reaction = ({ body }) =>
  Effect.sync(() => {
    const { amount, ...repeated } = decodeBody(body)
    const [whole, fraction = ""] = amount.split(".")
    return answer({ ...created, ...repeated, amount: `${whole}.${fraction.padEnd(4, "0")}` }, 201)
  })

/** Responds to a read with this status. */
export const finds = (status: string, members: Record<string, unknown> = {}) =>
  answer({ ...read, status, ...members })

export const make = (
  reactions: readonly [FakeService.Reaction, ...Array<FakeService.Reaction>],
  options: FakeService.Options = {}
) =>
  Effect.gen(function* () {
    const { gateway, received } = yield* FakeService.make(reactions, options)
    const payments = yield* Effect.provideService(Payments.make, Gateway.Gateway, gateway)
    return { payments, received }
  })
