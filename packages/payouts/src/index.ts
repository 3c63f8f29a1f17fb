/**
 * The payout: money sent from a wallet to a beneficiary (interface sections 2.5 and 4.5).
 *
 * @since 0.1.0
 */
export * as Payout from "./Payout.js"

/**
 * Payouts: create one, and wait for its final status.
 *
 * @since 0.1.0
 */
export * as Payouts from "./Payouts.js"

/**
 * The payout operations as they are on the wire (interface sections 4.5 and 4.6). The scopes that they
 * need are not shown.
 *
 * @since 0.1.0
 */
export * as PayoutsApi from "./PayoutsApi.js"
