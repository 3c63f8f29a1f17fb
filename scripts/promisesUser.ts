// A program in an empty folder with `@manilla/promises` alone. It sends nothing that leaves this machine.
import {
  Amount,
  Errors,
  IdempotencyKey,
  type PaymentIntent,
  Promises,
  Redacted
} from "@manilla/promises"

const payer = { phone_number: "+2290161234567" }
const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer
}
const key = IdempotencyKey.derive("order", "42")

/** The types of each result. */
export const types = async ({ payments, payouts, transactions }: Promises.Promises) => {
  // @ts-expect-error: a call that moves money needs its key
  await payments.collect(request)
  const created = await payments.collect(request, { key, timeout: "10 seconds" })
  if (created.ok) {
    const status: PaymentIntent.Status = created.value.status
    const sum: Amount.Amount = Amount.sum([created.value.amount, Amount.make("1.5")])
    // @ts-expect-error: the id of a payment is not the reference of a payout
    await payouts.get(created.value.id)
    return `${status} ${sum}`
  }
  if (created.error._tag === "OutcomeUnknown") return created.error.key
  for await (const row of transactions.stream({ currency: "XOF" }))
    if (!row.ok) return row.error._tag
  return Errors.outcome(created.error)
}

export const revealed = (secret: Redacted.Redacted) => Redacted.value(secret)

const manilla = await Promises.make({
  baseUrl: "http://127.0.0.1:1/api/v1",
  authUrl: "http://127.0.0.1:1/api/v1",
  clientId: "id",
  clientSecret: "secret",
  fetch: () => Promise.reject(new TypeError("fetch failed")),
  retry: { attempts: 1 }
})
const refused = await manilla.payments.collect(request, { key })
await manilla.close()
if (refused.ok || !(refused.error instanceof Errors.TokenUnavailableError))
  throw new Error("it has another error")
