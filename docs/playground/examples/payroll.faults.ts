import { Fault } from "@manilla/sandbox"

// Chance decides which of the requests suffer: another seed, other requests.
const some = { operation: "Payouts.create", count: 5, probability: 0.25, seed: 7 } as const
export const faults = [
  Fault.dropAfter(some),
  Fault.dropBefore(some),
  Fault.status(503, { ...some, processed: true })
]
