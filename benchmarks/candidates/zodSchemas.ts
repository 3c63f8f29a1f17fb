// The response schemas in zod.
import * as z from "zod"

const amount = z.string().regex(/^[0-9]+(\.[0-9]+)?$/)
const timestamp = z.iso.datetime({ offset: true })
const code = (length: number) => z.string().length(length)
const kind = z.string()

const envelope = <Data extends z.ZodType>(data: Data) =>
  z.object({
    success: z.literal(true),
    data,
    meta: z.object({ correlation_id: z.string().nullable() })
  })

const paymentIntent = z.object({
  id: z.uuid(),
  reference: z.string().min(1),
  country: code(2),
  amount,
  currency: code(3),
  operation: kind,
  payment_method: z.string(),
  environment: kind,
  status: kind,
  metadata: z.record(z.string(), z.unknown()),
  created_at: timestamp,
  updated_at: timestamp
})

const createdPaymentIntent = paymentIntent.extend({
  account_id: z.uuid(),
  application_id: z.uuid(),
  description: z.string().nullable(),
  expires_at: timestamp.nullable()
})

const transaction = z.object({
  id: z.uuid(),
  reference: z.string().min(1),
  operation: kind,
  amount,
  fee_amount: amount,
  net_amount: amount,
  currency: code(3),
  country: code(2),
  environment: kind,
  status: kind,
  completed_at: timestamp,
  created_at: timestamp
})

export const zodSchemas = {
  create: envelope(createdPaymentIntent),
  get: envelope(paymentIntent),
  list: envelope(
    z.object({
      current_page: z.int(),
      data: z.array(transaction),
      per_page: z.int(),
      total: z.int()
    })
  )
}
