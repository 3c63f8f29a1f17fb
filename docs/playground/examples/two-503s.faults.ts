import { Fault } from "@manilla/sandbox"

export const faults = [
  // Something in front of the service responds twice. The second time, it asks for a pause of 2 seconds.
  Fault.status(503, { operation: "Payments.create" }),
  Fault.status(503, { operation: "Payments.create", retry_after: 2 })
]
