/**
 * Collects a payment with `async` and `await`.
 */
import { Either } from "effect"
import { collect, runtime } from "./Payments.js"

const result = await collect("promises-42", {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
})
console.log(Either.isRight(result) ? result.right.status : result.left.message)

// Stops background work and closes the connections.
await runtime.dispose()
