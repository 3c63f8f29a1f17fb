// Its first request is its payment: it needs no token.
import Stripe from "stripe"
import { payTo } from "./start.js"

await payTo(({ port }) =>
  new Stripe("sk_test_bench", { host: "127.0.0.1", port, protocol: "http" }).paymentIntents.create({
    amount: 1500,
    currency: "xof"
  })
)
