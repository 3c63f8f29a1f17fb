import { PaymentLink, type Promises } from "@manilla/promises"

/** Calls `changed` with the link, after each use and at its end, for up to 10 minutes. */
export const watchLink = async (
  { paymentLinks }: Promises.Promises,
  stored: string,
  changed: (link: PaymentLink.PaymentLinkDetail) => Promise<void>
) => {
  for await (const change of paymentLinks.changes(PaymentLink.makeId(stored))) {
    if (!change.ok) return console.warn(change.error.message)
    await changed(change.value)
  }
}
