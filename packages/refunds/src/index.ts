export * as Refund from "./Refund.js"
export * as Refunds from "./Refunds.js"
export * as RefundsApi from "./RefundsApi.js"
