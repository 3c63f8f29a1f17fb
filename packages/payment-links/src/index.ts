/**
 * Payment links: hosted pages where a payer pays (interface sections 2.4 and 4.8).
 *
 * @since 0.1.0
 */
export * as PaymentLink from "./PaymentLink.js"

/**
 * Creates, lists and watches hosted payment links.
 *
 * @since 0.1.0
 */
export * as PaymentLinks from "./PaymentLinks.js"

/**
 * The wire format of the payment link operations (interface sections 4.8 to 4.10). They require a
 * business account with approved KYB.
 *
 * @since 0.1.0
 */
export * as PaymentLinksApi from "./PaymentLinksApi.js"
