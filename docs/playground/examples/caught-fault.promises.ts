import { IdempotencyKey, Promises } from "@manilla/promises"
import { Prove } from "@manilla/sandbox"

interface Order {
  state: Prove.Told
  presses: number
}

const start = async (service: Prove.Service, order: Order) => {
  const { payments } = await Promises.make(service)
  const press = async () => {
    if (order.state !== "open") return
    const payer = { phone_number: "+2290161234567" }
    const payment = await payments.collect(
      { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
      // The mistake: a new key for each press.
      { key: IdempotencyKey.derive("order", "42", String(++order.presses)) }
    )
    if (payment.ok) order.state = payment.value.status === "COMPLETED" ? "paid" : "review"
  }
  return { press }
}

export const program = () =>
  Prove.everyFaultPromise({
    // The order in the database of a shop.
    store: (): Order => ({ state: "open", presses: 0 }),
    process: start,
    script: ["press"],
    told: (order) => order.state,
    // Without this line, it runs each fault at each request.
    run: "1st Payments.create: death after"
  })
