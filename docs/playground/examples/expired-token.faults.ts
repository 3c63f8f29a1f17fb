import { Fault } from "@manilla/sandbox"

// For the service, the first token has expired when the payments arrive.
export const faults = [Fault.status(401, { operation: "Payments.create", count: 3 })]
