import Stripe from "stripe"
import { nextKey, payment, rows } from "../messages.js"
import { promises, type Open } from "./drive.js"

export const open: Open = (port) => {
  const stripe = new Stripe("sk_test_bench", {
    host: "127.0.0.1",
    port,
    protocol: "http",
    telemetry: false
  })
  return Promise.resolve(
    promises({
      create: () =>
        stripe.paymentIntents.create(
          {
            amount: 1500,
            currency: "xof",
            confirm: true,
            payment_method: payment.payment_method,
            payment_method_types: [payment.payment_method],
            receipt_email: "payer@example.com",
            description: payment.description,
            metadata: payment.metadata,
            statement_descriptor: "Shoes",
            capture_method: "automatic"
          },
          { idempotencyKey: nextKey() }
        ),
      get: () => stripe.paymentIntents.retrieve("pi_1IbfdjXKebbjk"),
      list: () => stripe.balanceTransactions.list({ limit: rows })
    })
  )
}
