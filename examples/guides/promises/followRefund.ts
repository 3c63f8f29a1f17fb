import { type Promises, Refund } from "@manilla/promises"

export const followRefund = ({ refunds }: Promises.Promises, stored: string) =>
  refunds.awaitFinal(Refund.makeReference(stored))
