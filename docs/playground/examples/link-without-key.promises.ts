import { Promises } from "@manilla/promises"

export const program = async () => {
  const { paymentLinks } = await Promises.make()
  const metadata = { order: "42" }
  return paymentLinks.create({ amount: "5000", currency: "XOF", country: "BJ", metadata })
}
