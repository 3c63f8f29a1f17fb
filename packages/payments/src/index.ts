/**
 * Payment intents: collections and deposits, which the service processes asynchronously (interface
 * sections 2.2 and 4.1).
 *
 * @since 0.1.0
 */
export * as PaymentIntent from "./PaymentIntent.js"

/**
 * Mobile-money collections and deposits: creates payment intents and waits for their final status.
 *
 * @since 0.1.0
 */
export * as Payments from "./Payments.js"

/**
 * The wire format of the payment operations (interface sections 4.1 and 4.2).
 *
 * @since 0.1.0
 */
export * as PaymentsApi from "./PaymentsApi.js"
