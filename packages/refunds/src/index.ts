/**
 * Refunds (interface section 2.6). The interface does not state how to request one.
 *
 * @since 0.1.0
 */
export * as Refund from "./Refund.js"

/**
 * Reads refunds and waits for their final status.
 *
 * @since 0.1.0
 */
export * as Refunds from "./Refunds.js"

/**
 * The wire format of the refund operation (interface section 4.7).
 *
 * @since 0.1.0
 */
export * as RefundsApi from "./RefundsApi.js"
