import * as Payments from "@manilla/payments/Payments"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Durable from "@manilla/workflows/Durable"
import type * as Operator from "@manilla/workflows/Operator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Order = Schema.Struct({ phone: Schema.String, amount: Schema.String })

class SellTicket extends Context.Tag("Shop/SellTicket")<
  SellTicket,
  Operator.Service<typeof Order.Type, string, typeof Durable.WriteError.Type>
>() {}

const layer = Durable.layer(SellTicket, {
  name: "Shop/SellTicket/1",
  payload: Order,
  success: Schema.String,
  error: Durable.WriteError,
  body: ({ amount, phone }) =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      // The operation and the business key give the key.
      const intent = yield* Durable.write({
        operation: "Shop.sellTicket",
        success: PaymentIntent.PaymentIntent,
        idOf: ({ id }) => id,
        send: (key) =>
          payments.create(
            {
              operation: "COLLECTION",
              country: "BJ",
              amount,
              currency: "XOF",
              payment_method: "mtn_momo",
              payer: { phone_number: phone }
            },
            { key }
          )
      })
      yield* Durable.step({
        name: "mail the ticket",
        success: Schema.Void,
        error: Schema.Never,
        execute: Effect.log(`ticket for ${intent.id}`)
      })
      return intent.id
    })
})
