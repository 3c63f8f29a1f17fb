import * as Amount from "@manilla/core/Amount"

const fee = Amount.Amount.make("2.50000000")
const input = Amount.toInput(fee)
// Either.right("2.5000")
