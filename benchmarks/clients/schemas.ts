// The schemas of whole answers, for Effect's own decoder.
import * as Page from "@manilla/core/Page"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Schema from "effect/Schema"

const envelope = <A, I>(data: Schema.Schema<A, I>) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    meta: Schema.Struct({ correlation_id: Schema.NullOr(Schema.String) })
  })

export const answers = {
  create: envelope(PaymentIntent.CreatedPaymentIntent),
  list: envelope(Page.of(Transaction.Transaction))
}
