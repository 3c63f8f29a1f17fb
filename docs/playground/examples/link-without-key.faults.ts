import { Fault } from "@manilla/sandbox"

// The service makes the link, but its response is lost.
export const faults = [Fault.dropAfter({ operation: "PaymentLinks.create" })]
