/**
 * The payment intent: a collection or a deposit that the service orchestrates after it was created
 * (interface sections 2.2 and 4.1).
 *
 * @since 0.1.0
 */
export * as PaymentIntent from "./PaymentIntent.js"

/**
 * Mobile-money collections and deposits: create a payment intent, and wait for its final status.
 *
 * @since 0.1.0
 */
export * as Payments from "./Payments.js"

/**
 * The payment operations as they are on the wire (interface sections 4.1 and 4.2).
 *
 * @since 0.1.0
 */
export * as PaymentsApi from "./PaymentsApi.js"
