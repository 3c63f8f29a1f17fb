import type { Promises } from "@manilla/promises"

export const createLink = async ({ paymentLinks }: Promises.Promises, order: string) => {
  const request = {
    amount: "5000",
    currency: "XOF",
    country: "BJ",
    max_uses: 1,
    metadata: { order }
  }
  // The service's clock may be behind this one.
  const since = new Date(Date.now() - 60_000)
  const created = await paymentLinks.create(request)
  if (created.ok || created.error._tag !== "UnkeyedOutcomeUnknown") return created
  const found = await paymentLinks.candidates(request, { since })
  // If the search fails, or finds nothing, the outcome is still unknown: let a person decide.
  const link = found.ok ? found.value[0] : undefined
  return link === undefined ? created : ({ ok: true, value: link } as const)
}
