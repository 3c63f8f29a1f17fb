/**
 * Payouts: money sent from a wallet to a beneficiary (interface sections 2.5 and 4.5).
 *
 * @since 0.1.0
 */
export * as Payout from "./Payout.js"

/**
 * Payouts to beneficiaries: creates payouts and waits for their final status.
 *
 * @since 0.1.0
 */
export * as Payouts from "./Payouts.js"

/**
 * The wire format of the payout operations (interface sections 4.5 and 4.6). The interface does not
 * state their scopes.
 *
 * @since 0.1.0
 */
export * as PayoutsApi from "./PayoutsApi.js"
