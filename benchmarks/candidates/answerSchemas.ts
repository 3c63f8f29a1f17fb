// Response schemas as an Effect user would write them: all fields are validated, none is converted.
import * as Schema from "effect/Schema"

const Amount = Schema.String.pipe(Schema.pattern(/^[0-9]+(\.[0-9]+)?$/))
const Timestamp = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/)
)
const code = (length: number) => Schema.String.pipe(Schema.length(length))

const envelope = <Data extends Schema.Schema.Any>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    meta: Schema.Struct({ correlation_id: Schema.NullOr(Schema.String) })
  })

const paymentFields = {
  id: Schema.UUID,
  reference: Schema.NonEmptyString,
  country: code(2),
  amount: Amount,
  currency: code(3),
  operation: Schema.String,
  payment_method: Schema.String,
  environment: Schema.String,
  status: Schema.String,
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  created_at: Timestamp,
  updated_at: Timestamp
}

const Transaction = Schema.Struct({
  id: Schema.UUID,
  reference: Schema.NonEmptyString,
  operation: Schema.String,
  amount: Amount,
  fee_amount: Amount,
  net_amount: Amount,
  currency: code(3),
  country: code(2),
  environment: Schema.String,
  status: Schema.String,
  completed_at: Timestamp,
  created_at: Timestamp
})

export const answerSchemas = {
  create: envelope(
    Schema.Struct({
      ...paymentFields,
      account_id: Schema.UUID,
      application_id: Schema.UUID,
      description: Schema.NullOr(Schema.String),
      expires_at: Schema.NullOr(Timestamp)
    })
  ),
  get: envelope(Schema.Struct(paymentFields)),
  list: envelope(
    Schema.Struct({
      current_page: Schema.Int,
      data: Schema.Array(Transaction),
      per_page: Schema.Int,
      total: Schema.Int
    })
  )
}

export const PaymentRequest = Schema.Struct({
  country: code(2),
  amount: Amount,
  currency: code(3),
  operation: Schema.Literal("COLLECTION", "DEPOSIT"),
  payment_method: Schema.String.pipe(Schema.maxLength(60)),
  payer: Schema.Struct({
    phone_number: Schema.String.pipe(Schema.maxLength(32)),
    lang: Schema.Literal("en", "fr")
  }),
  description: Schema.String.pipe(Schema.maxLength(1000)),
  metadata: Schema.Record({ key: Schema.String, value: Schema.String }),
  expires_at: Timestamp
})
