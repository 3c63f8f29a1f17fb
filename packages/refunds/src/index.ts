/**
 * The refund: money given back (interface section 2.6). How one is requested is not shown by the
 * interface.
 *
 * @since 0.1.0
 */
export * as Refund from "./Refund.js"

/**
 * Refunds: read one, and wait for its final status.
 *
 * @since 0.1.0
 */
export * as Refunds from "./Refunds.js"

/**
 * The refund operation as it is on the wire (interface section 4.7).
 *
 * @since 0.1.0
 */
export * as RefundsApi from "./RefundsApi.js"
