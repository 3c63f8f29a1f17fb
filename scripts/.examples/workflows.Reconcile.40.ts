import * as Amount from "@manilla/core/Amount"
import * as Reconcile from "@manilla/workflows/Reconcile"

const salary = { key: "E007", amount: Amount.Amount.make("250000"), currency: "XOF" }
const payout = { ...salary, id: "PO-1", status: "COMPLETED" }

const report = Reconcile.compare({ asked: [salary], resources: [payout], transactions: [] })
// { matched: [], differences: [{ is: "missing", in: "transactions", key: "E007" }] }
