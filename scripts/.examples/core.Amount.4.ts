import * as Amount from "@manilla/core/Amount"

const amount = Amount.Amount.make("1500.0000")
// "1500.0000"
