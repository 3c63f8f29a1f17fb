export * as Payout from "./Payout.js"
export * as Payouts from "./Payouts.js"
export * as PayoutsApi from "./PayoutsApi.js"
