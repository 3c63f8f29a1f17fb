import type { Order } from "./pay.js"

/** In place of a database: the orders whose payment may have been sent. */
const sent = new Set<string>()

/** Reads an order, and notes that its payment is sent. */
export const take = async (id: string): Promise<Order | undefined> => {
  if (!id.startsWith("42")) return undefined
  const wasSent = sent.has(id)
  sent.add(id)
  return { id, amount: "1500", phone: "+2290161234567", wasSent }
}
