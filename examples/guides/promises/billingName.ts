import { Cardholder, type Promises, Redacted } from "@manilla/promises"

/** Personal data is `Redacted`: it appears in no log. `Redacted.value` reads it. */
export const billingName = async ({ cardholders }: Promises.Promises, id: string) => {
  const found = await cardholders.get(Cardholder.makeId(id))
  const name = found.ok ? found.value.billing_name : undefined
  return name && Redacted.value(name)
}
