import * as Amount from "@manilla/core/Amount"

Amount.sum([Amount.Amount.make("0.10"), Amount.Amount.make("0.2000")])
// "0.3000"
