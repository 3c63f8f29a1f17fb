/**
 * Collects a payment and lists transactions with `async` and `await`.
 * Takes 7 seconds.
 */
import { IdempotencyKey, Promises } from "@manilla/promises"

// #region collect
// Reads the `MANILLA_…` variables. Make one for the whole process.
const manilla = await Promises.make()

const payer = { phone_number: "+2290161234567" }
const paid = await manilla.payments.collect(
  { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
  { key: IdempotencyKey.derive("order", "42") }
)
if (paid.ok) console.log(`${paid.value.id}: ${paid.value.status}`)
else if (paid.error._tag === "OutcomeUnknown") console.log(`try again with ${paid.error.key}`)
else console.log(paid.error.message)
// #endregion

for await (const row of manilla.transactions.stream({ currency: "XOF" })) {
  console.log(row.ok ? `${row.value.reference}: ${row.value.amount}` : row.error.message)
}

await manilla.close()
