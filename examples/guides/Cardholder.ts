import { Cardholder, Cardholders } from "@manilla/cards"
import { Effect, Redacted } from "effect"

/** Personal data is `Redacted`: it appears in no log. `Redacted.value` reads it. */
export const billingName = (id: string) =>
  Effect.gen(function* () {
    const cardholders = yield* Cardholders.Cardholders
    const cardholder = yield* cardholders.get(Cardholder.makeId(id))
    return cardholder.billing_name && Redacted.value(cardholder.billing_name)
  })
