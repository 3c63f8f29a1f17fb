import { Fault } from "@manilla/sandbox"

// The service makes the payment, but its first two responses are lost.
export const faults = [Fault.dropAfter({ operation: "Payments.create", count: 2 })]
